// SPDX-License-Identifier: MIT
// Session+Values.swift -- values of the engine in their general form, with the objects that links lead to.

import Foundation

extension Session {
    /// The value of a current row.
    func storedValue(_ row: _Row, _ managed: ManagedClass, _ column: UInt32) throws(StrataError) -> _StoredValue {
        let target = managed.possibleTarget(ofColumn: column)
        return try storedValue(try view.value(of: row, column), target) { (size) throws(StrataError) in
            try view.bytes(of: row, column, size)
        }
    }

    /// A value that the engine gave.
    ///
    /// - Parameters:
    ///   - target: the class that links lead to; nil if a link names its table.
    ///   - read: reads the bytes of a value that are stored outside of its row.
    func storedValue(
        _ value: EngineValue, _ target: ManagedClass?,
        read: (Int) throws(StrataError) -> Data = _StoredValue.refuse
    ) throws(StrataError) -> _StoredValue {
        try _StoredValue(
            value,
            link: { key, table in
                (target ?? classes.of(table: table)).map { .object($0.makeObject(key)) } ?? .null
            },
            read: read)
    }
}

extension _StoredValue {
    /// All objects in the value, at any depth.
    var objects: [ObjectBase] {
        switch self {
        case .object(let object): [object as? ObjectBase].compactMap { $0 }
        case .elements(let values): values.flatMap(\.objects)
        case .entries(let entries): entries.flatMap(\.value.objects)
        default: []
        }
    }

    /// The value for a column of any type. All objects in it must be managed; nil if one is not.
    func encodedAny(_ arena: ValueArena) throws(StrataError) -> EngineValue? {
        switch self {
        case .object(let object):
            guard let object = object as? ObjectBase, object._mode == .live else { return nil }
            return .link(object.row.key, of: object.row.table)
        case .elements, .entries:
            return try encodedNested(arena) { (value) throws(StrataError) in try value.encodedAny(arena) }
        default: return encoded(arena)
        }
    }
}

extension Session {
    /// The key of an object that others are compared with; nil if it is unmanaged or deleted.
    func keyForComparison(_ object: ObjectBase) -> UInt64? {
        guard object._mode == .live else { return nil }
        if object._session !== self { misuse("\(LiveRow.name(object)) belongs to another realm than the query") }
        return object.isInvalidated ? nil : object.row.key
    }
}
