// SPDX-License-Identifier: MIT
// WrapperShape.swift -- where the instances of a class have their wrappers, found fast enough for every new object.

import Foundation
import Synchronization

/// Where the instances of a class have their wrappers. Never freed.
struct WrapperShape: @unchecked Sendable {
    private let type: UnsafeRawPointer
    private let wrappers: UnsafeBufferPointer<FieldOffset>
    private let head: UnsafePointer<EngineViewHead>

    private init(_ type: ObjectBase.Type) {
        let fields = StoredProperties.of(type).wrappers
        let buffer = UnsafeMutableBufferPointer<FieldOffset>.allocate(capacity: fields.count)
        _ = buffer.initialize(from: fields.map { FieldOffset($0.offset, $0.access) })
        self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
        wrappers = UnsafeBufferPointer(buffer)
        head = EngineRow.headOfNoView
    }

    /// Makes a new object an unmanaged one: its row belongs to no table, and its wrappers know where they are.
    @inline(__always)
    func prepare(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let row = object.row
        row.becomeUnmanaged(head)
        for wrapper in wrappers { wrapper.prepare(base, row) }
    }

    // MARK: Cache

    /// A table of pointers to shapes, indexed by a hash of the class. A shape that is not in the entry of its hash is
    /// found in the dictionary, and replaces the one in the entry.
    nonisolated(unsafe) private static let table: UnsafeMutablePointer<Atomic<UInt>> = {
        let table = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: 1024)
        for index in 0..<1024 { (table + index).initialize(to: Atomic<UInt>(0)) }
        return table
    }()
    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: UnsafeMutablePointer<WrapperShape>] = [:]

    /// The shape of a class. May be called from every thread.
    static func of(_ type: ObjectBase.Type) -> WrapperShape {
        let address = unsafeBitCast(type, to: UInt.self)
        let entry = table + Int((address >> 4 &* 0x9E37_79B9_7F4A_7C15) >> 54)
        if let shape = UnsafePointer<WrapperShape>(bitPattern: entry.pointee.load(ordering: .acquiring)),
            UInt(bitPattern: shape.pointee.type) == address
        {
            return shape.pointee
        }
        return find(type, entry)
    }

    @inline(never)
    private static func find(_ type: ObjectBase.Type, _ entry: UnsafeMutablePointer<Atomic<UInt>>) -> WrapperShape {
        let shape = lock.withLock {
            let key = ObjectIdentifier(type)
            if let shape = known[key] { return shape }
            let shape = UnsafeMutablePointer<WrapperShape>.allocate(capacity: 1)
            shape.initialize(to: WrapperShape(type))
            known[key] = shape
            return shape
        }
        entry.pointee.store(UInt(bitPattern: shape), ordering: .releasing)
        return shape.pointee
    }
}
