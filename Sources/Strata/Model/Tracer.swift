// SPDX-License-Identifier: MIT
// Tracer.swift -- finds the names behind a key path by reading it from an object that records what is read.

import CStrata
import Foundation

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
        object._tracer = self
        object._mode = .tracing
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

/// The names behind key paths.
enum KeyPathNames {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [AnyKeyPath: [String]] = [:]  // guarded by `lock`

    /// The property names of a key path; stops the program if it does not lead to a persisted property.
    static func of<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> [String] {
        if let names = lock.withLock({ known[keyPath] }) { return names }
        let tracer = Tracer()
        let prototype = unsafeDowncast(tracer.prototype(Root.self), to: Root.self)
        tracer.end(at: prototype[keyPath: keyPath])
        let names = tracer.path
        guard leads(names, from: Root.self) else {
            misuse("\(keyPath) does not lead to one persisted property of \(Root.self); it reads \(names)")
        }
        lock.withLock { known[keyPath] = names }
        return names
    }

    private static func leads(_ names: [String], from root: ObjectBase.Type) -> Bool {
        var type: ObjectBase.Type? = root
        for name in names {
            guard let current = type else { return false }
            let layout = ClassLayout.of(current)
            guard let index = layout.index(of: name) else { return false }
            type = layout.slots[index].target
        }
        return !names.isEmpty
    }
}
