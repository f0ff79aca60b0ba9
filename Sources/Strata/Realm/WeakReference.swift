// SPDX-License-Identifier: MIT
// WeakReference.swift -- a weak reference that does not make its object slow.
//
// Why this is not `weak`: the first weak reference to an object moves its reference counts into a side table, and from
// then on each retain and release of the object costs several times as much. A session is retained once for every
// object that is made, so that there must be no weak reference to it.

import Foundation

/// A reference to an object that may be gone.
///
/// Invariant: the `deinit` of the object takes the lock that guards the reference, and removes the reference. So under
/// that lock the memory of the object still exists, although the object may be about to be destroyed.
struct WeakReference<Target: AnyObject> {
    private let address: UnsafeMutableRawPointer
    /// Used where the runtime function is not found.
    private weak var fallback: Target?

    init(_ target: Target) {
        address = Unmanaged.passUnretained(target).toOpaque()
        if tryRetain == nil { fallback = target }
    }

    /// The object, unless it is about to be destroyed. Must be called under the lock.
    var target: Target? {
        guard let tryRetain else { return fallback }
        return tryRetain(address).map { Unmanaged<Target>.fromOpaque($0).takeRetainedValue() }
    }

    /// Whether this is a reference to the object at an address.
    func refers(to other: UnsafeMutableRawPointer) -> Bool { address == other }
}

/// The function of the Swift runtime that retains an object unless it is being destroyed. Nil in programs that are
/// linked with a static copy of the runtime, because that has no dynamic symbols.
private let tryRetain: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?)? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "swift_tryRetain") else { return nil }
    return unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?).self)
}()
