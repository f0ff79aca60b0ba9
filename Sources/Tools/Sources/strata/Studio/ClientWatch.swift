// SPDX-License-Identifier: MIT
// ClientWatch.swift -- ends the work for clients that do not wait for the answer any more.

import CStrata
import Glibc

/// Looks ten times a second whether the clients for whom something is worked out are still there.
///
/// A client that has closed its end of a connection for writing is gone: it cannot be told from one that closed both.
final class ClientWatch: @unchecked Sendable {
    static let shared = ClientWatch()
    /// Microseconds between two looks.
    private static let pause: UInt32 = 100_000
    /// POLLRDHUP of Linux, a macro that Swift does not import.
    private static let closed: Int16 = 0x2000

    private var mutex = pthread_mutex_t()
    private var condition = pthread_cond_t()
    /// By the descriptor of the connection. Protected by the mutex, and an interrupt is used only while it is here.
    private var interrupts: [Int32: OpaquePointer] = [:]
    private var isRunning = false

    private init() {
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&condition, nil)
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return body()
    }

    /// Stops the interrupt when the client is gone, until `forget`. Without a thread for that the deadline is left.
    func watch(_ descriptor: Int32, _ interrupt: OpaquePointer) {
        locked {
            interrupts[descriptor] = interrupt
            if !isRunning { isRunning = runInBackground { [self] in run() } }
            pthread_cond_signal(&condition)
        }
    }

    func forget(_ descriptor: Int32) { locked { _ = interrupts.removeValue(forKey: descriptor) } }

    private func run() {
        while true {
            locked {
                while interrupts.isEmpty { pthread_cond_wait(&condition, &mutex) }
                look()
            }
            usleep(Self.pause)
        }
    }

    private func look() {
        var list = interrupts.keys.map { pollfd(fd: $0, events: Self.closed, revents: 0) }
        guard poll(&list, nfds_t(list.count), 0) > 0 else { return }
        for item in list where item.revents != 0 { strata_interrupt_stop(interrupts[item.fd]) }
    }
}

extension StoreFile {
    /// Does some work for a client, which ends with an error at its deadline, when a sort takes too much memory, or
    /// when the client is gone.
    func limited<Result>(
        to milliseconds: UInt64, sortBytes: UInt64, for connection: HTTPConnection, _ body: () throws -> Result
    ) throws -> Result {
        var made: OpaquePointer?
        try call { strata_interrupt_make(&made, $0) }
        let interrupt = made!
        defer { strata_interrupt_free(interrupt) }
        strata_interrupt_after(interrupt, milliseconds)
        strata_interrupt_after_bytes(interrupt, sortBytes)
        try call { strata_view_set_interrupt(view, interrupt, $0) }
        self.interrupt = interrupt
        ClientWatch.shared.watch(connection.descriptor, interrupt)
        defer {
            ClientWatch.shared.forget(connection.descriptor)
            self.interrupt = nil
            _ = try? call { strata_view_set_interrupt(view, nil, $0) }
        }
        return try body()
    }
}
