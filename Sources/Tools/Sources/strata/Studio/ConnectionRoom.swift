// SPDX-License-Identifier: MIT
// ConnectionRoom.swift -- how many clients are connected, and who makes room for others.

import Glibc

/// The room for connections. When there is none left, the client that has said nothing for longest has to go: so
/// connections that only stay open keep nobody out.
final class ConnectionRoom: @unchecked Sendable {
    static let most = 64
    private var mutex = pthread_mutex_t()
    private var count = 0
    /// Those from whom a request is awaited, the one that waits for longest first. Invariant: a descriptor in here is
    /// open, since it is taken out before it is closed.
    private var silent: [Int32] = []

    init() { pthread_mutex_init(&mutex, nil) }

    /// A client comes in, who has said nothing yet. False if there is no room: as many are being answered.
    func enter(_ descriptor: Int32) -> Bool {
        locked {
            if count >= Self.most {
                if silent.isEmpty { return false }
                shutdown(silent.removeFirst(), Int32(SHUT_RDWR))  // its thread finds that, and ends
            }
            count += 1
            silent.append(descriptor)
            return true
        }
    }

    /// A client goes. To be called before its descriptor is closed.
    func leave(_ descriptor: Int32) {
        locked {
            count -= 1
            silent.removeAll { $0 == descriptor }
        }
    }

    /// A client who may ask is being answered.
    func answers(_ descriptor: Int32) { locked { silent.removeAll { $0 == descriptor } } }

    /// The next request of a client is awaited.
    func awaits(_ descriptor: Int32) { locked { silent.append(descriptor) } }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return body()
    }
}
