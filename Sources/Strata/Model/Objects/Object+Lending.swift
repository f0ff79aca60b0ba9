// SPDX-License-Identifier: MIT
// Object+Lending.swift -- the bytes of Data and String, lent without a copy. An addition to Realm's API.

public import struct Foundation.Data

extension ObjectBase {
    /// Lends the bytes of a `Data` property to a closure, without copying them if possible; nil for nil.
    ///
    /// ```swift
    /// let size = picture.withBytes(of: \.pixels) { bytes in bytes.count }
    /// ```
    ///
    /// A live object lends the memory of the file; only values of more than about a kilobyte, which are stored in
    /// pieces, are copied. The bytes are valid until the closure returns. The closure must not change the realm,
    /// refresh it, or keep the bytes.
    ///
    /// Thread: that of the object. Stops the program if `name` is no `Data` property, or if the object was deleted.
    public final func withBytes<Result>(
        named name: String, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try lend(name, .data, body)
    }

    /// Lends the UTF-8 of a `String` property to a closure, without copying it if possible; nil for nil.
    ///
    /// As with `withBytes(named:_:)`, the bytes are valid until the closure returns, which must not change the realm.
    public final func withUTF8<Result>(
        named name: String, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try lend(name, .string, body)
    }

    private func lend<Result>(
        _ name: String, _ type: PropertyType, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        let index = slotIndex(name)
        let slot = layout.slots[index]
        if slot.property.type != type || slot.property.isCollection {
            misuse("\(layout.schema.className).\(name) is no \(type), so its bytes cannot be lent")
        }
        guard let managed, _mode != .unmanaged else { return try lend(plainValue(index), body) }
        let column = managed.columns[index]
        guard row.isCurrent || _reload(row, column) else { return try body(nil) }
        if row.isNull(column) && slot.property.isOptional { return try body(nil) }
        if let bytes = row.bytes(column) { return try body(bytes) }
        return try lend(plainValue(index), body)
    }

    /// Lends the bytes of a value in memory.
    private func lend<Result>(
        _ value: Any?, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        switch value {
        case let data as Data: return try data.withUnsafeBytes(body)
        case var text as String: return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
        default: return try body(nil)
        }
    }

    /// The name of the property behind a key path, as a check that it is one.
    static func propertyName<Root: ObjectBase, Value>(_ keyPath: KeyPath<Root, Value>) -> String {
        let names = KeyPathNames.of(keyPath)
        if names.count != 1 {
            misuse("'\(names.joined(separator: "."))' leads to another object; use that one")
        }
        return names[0]
    }
}

/// What can lend the bytes of its properties by key paths: every class of objects.
public protocol _LendsBytes: ObjectBase {}
extension ObjectBase: _LendsBytes {}

extension _LendsBytes {
    /// Lends the bytes of a `Data` property to a closure. See `withBytes(named:_:)`.
    public func withBytes<Result>(
        of keyPath: KeyPath<Self, Data>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withBytes(named: ObjectBase.propertyName(keyPath)) {
            try body($0 ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Lends the bytes of a `Data?` property to a closure; nil for nil. See `withBytes(named:_:)`.
    public func withBytes<Result>(
        of keyPath: KeyPath<Self, Data?>, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try withBytes(named: ObjectBase.propertyName(keyPath), body)
    }

    /// Lends the UTF-8 of a `String` property to a closure. See `withUTF8(named:_:)`.
    public func withUTF8<Result>(
        of keyPath: KeyPath<Self, String>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withUTF8(named: ObjectBase.propertyName(keyPath)) {
            try body($0 ?? UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Lends the UTF-8 of a `String?` property to a closure; nil for nil. See `withUTF8(named:_:)`.
    public func withUTF8<Result>(
        of keyPath: KeyPath<Self, String?>, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try withUTF8(named: ObjectBase.propertyName(keyPath), body)
    }
}
