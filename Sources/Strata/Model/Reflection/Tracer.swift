// SPDX-License-Identifier: MIT
// Tracer.swift -- finds the names behind a key path by reading it from an object that records what is read.

import CStrata

/// Records which properties of prototypes are read.
final class Tracer {
    private(set) var path: [String] = []
    /// What is in fields that are not marked with ``Persisted``. The prototypes live as long as these do.
    private var unmarked: [(value: AnyObject, object: ObjectBase, property: Int)] = []

    /// Called when a property of a prototype is read.
    func record(_ object: ObjectBase, property: Int) {
        path.append(ClassLayout.of(type(of: object)).slots[property].property.name)
    }

    /// Called with what a key path leads to: if that is in a field without a mark, nobody noticed that it was read.
    func end(at value: Any) {
        guard let found = unmarked.first(where: { $0.value === value as AnyObject }) else { return }
        record(found.object, property: found.property)
    }

    /// An object of which every read is recorded. All its values are zero, empty or nil; links lead to prototypes.
    func prototype(_ type: ObjectBase.Type) -> ObjectBase {
        let layout = ClassLayout.of(type)
        let object = type.init()
        for (index, slot) in layout.slots.enumerated() {
            guard let value = slot.access._trace(slot.wrapper(in: object), object.row, slot: index) else { continue }
            unmarked.append((value, object, index))
        }
        var row = strata_row()
        row.block = Tracer.emptyBlock
        row.head = Tracer.head
        object.row.pointee = row
        object._keeper = self
        object.become(.tracing, at: 0)
        return object
    }

    /// A block of one row and no columns, of which every column reads as zero, empty or null.
    nonisolated(unsafe) private static let emptyBlock: UnsafePointer<UInt8> = {
        let block = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(STRATA_BLOCK_HEADER))
        block.initialize(repeating: 0, count: Int(STRATA_BLOCK_HEADER))
        block[0] = UInt8(STRATA_BLOCK_FORMAT)
        block[2] = 1
        return UnsafePointer(block)
    }()

    /// The head of no view, whose epoch no row has: so every read takes the slow path, which records it.
    nonisolated(unsafe) static let head: UnsafePointer<strata_view_head> = {
        let head = UnsafeMutablePointer<strata_view_head>.allocate(capacity: 1)
        head.initialize(to: strata_view_head(epoch: UInt64.max, owner: 0))
        return UnsafePointer(head)
    }()
}
