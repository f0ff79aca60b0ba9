// SPDX-License-Identifier: MIT
// Session+Values.swift -- values of the engine in their general form, with the objects that links lead to.

import Foundation

extension Session {
    /// Whether conditions can compare with an object. Links are compared by their keys, which are the same in all
    /// versions of a file: so what is frozen compares with what is live, and with what is frozen at another time. Live
    /// objects of another thread are refused, as everywhere.
    func canCompare(with object: ObjectBase) -> Bool {
        guard object._mode == .live, let other = object._session, other !== self else { return true }
        return (isFrozen || other.isFrozen) && store.isSame(as: other.store)
    }

    /// What is wrong with an object of another session that is searched for.
    private func strangeness(of object: ObjectBase) -> String {
        let name = LiveRow.name(object)
        guard let other = object._session, canCompare(with: object) else {
            return "\(name) belongs to another realm than the query"
        }
        if isFrozen && other.isFrozen { return "\(name) is frozen at another time than what is searched" }
        return other.isFrozen
            ? "\(name) is frozen, and what is searched is live; use thaw()"
            : "\(name) is live, and what is searched is frozen; use freeze()"
    }

    /// Does not open a reader for a frozen session.
    var store: EngineStore { snapshot?.store ?? view.store }

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

    /// The same for a property or collection, whose name is in front of the message of an error.
    func encodedAny(
        _ arena: ValueArena, for name: @autoclosure () -> String
    ) throws(StrataError) -> EngineValue? {
        do throws(StrataError) {
            return try encodedAny(arena)
        } catch {
            throw error.naming(name())
        }
    }
}

extension Session {
    /// The key of an object that others are compared with; nil if it is unmanaged or deleted.
    func keyForComparison(_ object: ObjectBase) -> UInt64? {
        guard object._mode == .live else { return nil }
        if object._session !== self { misuse(strangeness(of: object)) }
        return object.isInvalidated ? nil : object.row.key
    }
}
