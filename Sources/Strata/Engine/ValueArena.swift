// SPDX-License-Identifier: MIT
// ValueArena.swift -- memory for the bytes of values on their way into the engine.

import CStrata

/// Memory for the bytes of values, until the call of the engine that they are arguments of has returned.
///
/// Chunks never move, so that earlier values stay valid until `reset()`.
final class ValueArena {
    @exclusivity(unchecked) private var chunk: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var used = 0
    @exclusivity(unchecked) private var full: [UnsafeMutableRawBufferPointer] = []

    /// - Parameter size: how many bytes to have room for at first.
    init(size: Int = 4096) { chunk = .allocate(byteCount: size, alignment: 16) }

    deinit {
        reset()
        chunk.deallocate()
    }

    /// Forgets all bytes; values that point to them are no longer valid.
    func reset() {
        used = 0
        if full.isEmpty { return }
        for old in full { old.deallocate() }
        full.removeAll(keepingCapacity: true)
    }

    /// A copy of some bytes. Never nil, so that an empty string stays different from null.
    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let start = room(bytes.count)
        if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
        return UnsafeRawPointer(start)
    }

    /// A copy of some plain values.
    func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        align()
        return elements.withUnsafeBytes { copy($0).assumingMemoryBound(to: Element.self) }
    }

    /// Some values, all null.
    func nulls(_ count: Int) -> UnsafeMutableBufferPointer<EngineValue> {
        align()
        let start = room(count * MemoryLayout<strata_value>.stride).bindMemory(to: strata_value.self, capacity: count)
        start.initialize(repeating: strata_null(), count: count)
        return UnsafeMutableBufferPointer(start: start, count: count)
    }

    private func align() { used = (used + 15) & ~15 }

    private func room(_ size: Int) -> UnsafeMutableRawPointer {
        if size > chunk.count - used { grow(size) }
        defer { used += size }
        return chunk.baseAddress.unsafelyUnwrapped + used
    }

    private func grow(_ size: Int) {
        full.append(chunk)
        chunk = .allocate(byteCount: max(2 * chunk.count, size), alignment: 16)
        used = 0
    }
}
