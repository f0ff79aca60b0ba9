// SPDX-License-Identifier: MIT
// StoredValue+Engine.swift -- values in their general form, on their way into and out of the engine.

import Foundation

extension _StoredValue {
    /// The value in the form of the engine, with its bytes in `arena`; nil of objects and collections.
    func encoded(_ arena: ValueArena) -> EngineValue? {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .date(let value): .date(value.timeIntervalSinceReferenceDate)
        case .string(let value): .string(value, arena)
        case .data(let value): .data(value, arena)
        case .uuid(let value): .uuid(value.uuid)
        case .objectId(let value): .objectId(value.bytes)
        case .decimal(let value): .decimal(value.engine)
        case .object, .collection, .elements, .entries: nil
        }
    }

    /// The bytes of a list or a map, in `arena`. `encode` gives the form of single values, and nil of what cannot be an
    /// element.
    func encodedNested(
        _ arena: ValueArena, _ encode: (_StoredValue) throws(StrataError) -> EngineValue?
    ) throws(StrataError) -> EngineValue {
        let builder = EngineNestedBuilder(arena)
        try add(to: builder, nil, encode)
        return try builder.finish()
    }

    private func add(
        to builder: EngineNestedBuilder, _ key: String?, _ encode: (_StoredValue) throws(StrataError) -> EngineValue?
    ) throws(StrataError) {
        switch self {
        case .elements(let values):
            try builder.beginList(key)
            for value in values { try value.add(to: builder, nil, encode) }
            try builder.end()
        case .entries(let entries):
            try builder.beginMap(key)
            for (key, value) in entries { try value.add(to: builder, key, encode) }
            try builder.end()
        default:
            guard let encoded = try encode(self) else {
                throw StrataError(.invalidInput, "\(text) cannot be an element of a value of any type")
            }
            try builder.add(encoded, key)
        }
    }

    /// What an engine value is.
    ///
    /// - Parameters:
    ///   - link: gives the object of a link: its key, and its table, which is 0 unless the column is of any type.
    ///   - read: reads the bytes of a value that are stored outside of its row. Its argument is their size.
    init(
        _ value: EngineValue, link: (UInt64, UInt32) -> _StoredValue, read: (Int) throws(StrataError) -> Data
    ) throws(StrataError) {
        switch value.content {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
        case .string(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
        case .data(let bytes): self = .data(Data(bytes))
        case .uuid(let bytes): self = .uuid(UUID(uuid: bytes))
        case .objectId(let bytes): self = .objectId(ObjectId(bytes: bytes))
        case .decimal(let value): self = .decimal(Decimal128(value))
        case .link(let key, let table): self = link(key, table)
        case .nested(let bytes): self = try Self.nested(bytes, link)
        case .outOfLine(let kind, let size):
            let data = try read(size)
            switch kind {
            case .string: self = .string(String(decoding: data, as: UTF8.self))
            case .data: self = .data(data)
            case .nested: self = try Self.nested(data, link)
            }
        }
    }

    private static func nested(
        _ data: Data, _ link: (UInt64, UInt32) -> _StoredValue
    ) throws(StrataError) -> _StoredValue {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(StrataError) in try nested(bytes, link) }
        }
        return try result.get()
    }

    /// A list or a map: `.elements` or `.entries`. Everything in it is in line.
    private static func nested(
        _ bytes: UnsafeRawBufferPointer, _ link: (UInt64, UInt32) -> _StoredValue
    ) throws(StrataError) -> _StoredValue {
        var reader = try EngineNestedReader(bytes)
        var values: [_StoredValue] = []
        var entries: [(key: String, value: _StoredValue)] = []
        while let (key, value) = try reader.next() {
            let stored = try _StoredValue(value, link: link, read: Self.refuse)
            if reader.isMap { entries.append((key, stored)) } else { values.append(stored) }
        }
        return reader.isMap ? .entries(entries) : .elements(values)
    }

    /// Used where no value can be stored outside of its row.
    static func refuse(_ size: Int) throws(StrataError) -> Data {
        throw StrataError(.invalidDatabase, "a value of \(size) bytes is not where it should be")
    }
}
