// SPDX-License-Identifier: MIT
// FadingReference.swift -- a reference that does not keep its object alive, nor makes it slow.
//
// The first weak reference to an object moves its counts elsewhere, and from then on each retain and release of it
// costs several times as much. A session is retained once for every object that is made, so it must have none.

import Foundation

/// A reference to an object that may be gone.
///
/// Invariant: the `deinit` of the object takes the lock that guards the reference, and removes the reference. So under
/// that lock the memory of the object is still there, although the object may be on its way out.
struct FadingReference<Target: AnyObject> {
    private let address: UnsafeMutableRawPointer
    /// Used instead where the runtime cannot be asked.
    private weak var fallback: Target?

    init(_ target: Target) {
        address = Unmanaged.passUnretained(target).toOpaque()
        if tryRetain == nil { fallback = target }
    }

    /// The object, unless it is on its way out. Only under the lock.
    var target: Target? {
        guard let tryRetain else { return fallback }
        return tryRetain(address).map { Unmanaged<Target>.fromOpaque($0).takeRetainedValue() }
    }

    /// Whether this is a reference to the object at an address.
    func refers(to other: UnsafeMutableRawPointer) -> Bool { address == other }
}

/// The function of the Swift runtime that retains an object unless it is being destroyed. Nil in programs that hold a
/// static copy of the runtime, which does not tell its names.
private let tryRetain: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?)? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "swift_tryRetain") else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?).self)
}()
