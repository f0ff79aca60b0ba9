// SPDX-License-Identifier: MIT
// WrapperShape.swift -- where the instances of a class keep their wrappers, found fast enough for every new object.

import CStrata
import Foundation
import Synchronization

/// Where the instances of a class keep their wrappers. Lives for ever.
struct WrapperShape: @unchecked Sendable {
    private let type: UnsafeRawPointer
    private let places: UnsafeBufferPointer<WrapperPlace>
    private let head: UnsafePointer<strata_view_head>

    private init(_ type: ObjectBase.Type) {
        let fields = StoredProperties.of(type).wrappers
        let buffer = UnsafeMutableBufferPointer<WrapperPlace>.allocate(capacity: fields.count)
        _ = buffer.initialize(from: fields.map { WrapperPlace($0.offset, $0.access) })
        self.type = unsafeBitCast(type, to: UnsafeRawPointer.self)
        places = UnsafeBufferPointer(buffer)
        head = Tracer.head
    }

    /// Makes a new object an unmanaged one: its row is that of no table, and its wrappers know where they are.
    @inline(__always)
    func place(in object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let row = object.row
        row.pointee.head = head
        row.pointee.table = UInt32.max
        for place in places { place.place(base, row) }
    }

    // MARK: Cache

    /// A table of pointers to shapes, indexed by a hash of the class. A shape that is not where its hash says is
    /// found in the dictionary, and takes the place of the one that is there.
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
        let place = table + Int((address >> 4 &* 0x9E37_79B9_7F4A_7C15) >> 54)
        if let shape = UnsafePointer<WrapperShape>(bitPattern: place.pointee.load(ordering: .acquiring)),
            UInt(bitPattern: shape.pointee.type) == address
        {
            return shape.pointee
        }
        return find(type, place)
    }

    @inline(never)
    private static func find(_ type: ObjectBase.Type, _ place: UnsafeMutablePointer<Atomic<UInt>>) -> WrapperShape {
        let shape = lock.withLock {
            let key = ObjectIdentifier(type)
            if let shape = known[key] { return shape }
            let shape = UnsafeMutablePointer<WrapperShape>.allocate(capacity: 1)
            shape.initialize(to: WrapperShape(type))
            known[key] = shape
            return shape
        }
        place.pointee.store(UInt(bitPattern: shape), ordering: .releasing)
        return shape.pointee
    }
}
