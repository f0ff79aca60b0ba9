// SPDX-License-Identifier: MIT
// AccessorBuilding.swift -- whether the calling thread is making an object for a row that exists.

import Foundation

/// While an object is made only to show a row, its properties need no generated defaults.
///
/// A thread-specific flag, because the initialisers of property wrappers take no argument of ours.
enum AccessorBuilding {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var isOn: Bool { pthread_getspecific(key) != nil }

    /// Runs `body`, which makes the object.
    static func run<R>(_ body: () -> R) -> R {
        let before = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, before) }
        return body()
    }
}
