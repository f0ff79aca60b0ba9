// SPDX-License-Identifier: MIT
// UnmanagedValue.swift -- fast access to the values of unmanaged objects, for the common types.

import Foundation

/// Which of the common types the wrapper of a property has, and how to read and set it.
///
/// The general way, `PersistedAccess`, makes Swift look up the metadata of a generic type on each call, which costs
/// more than storing the value.
enum UnmanagedValue: UInt8 {
    case int, int32, int64, bool, double, float, string, data, date, uuid, objectId
    case optionalInt, optionalBool, optionalDouble, optionalString, optionalDate
    /// An Optional of any class: all have the layout of `Object?`.
    case link
    /// A list, a set or a map: all are classes.
    case collection
    case linkingObjects
    /// Any other type.
    case other

    /// The type of wrappers that an access is for.
    init(_ access: any PersistedAccess.Type, _ property: Property) {
        if access._isWrapper, property.isCollection {
            self = .collection
        } else if access._isWrapper, property.type == .linkingObjects {
            self = .linkingObjects
        } else if property.type == .object, access._isLink {
            self = .link
        } else {
            self = Self.common(access, property)
        }
    }

    /// Compares with as few types as possible, because the runtime takes long to find what each conforms to.
    private static func common(_ access: any PersistedAccess.Type, _ property: Property) -> UnmanagedValue {
        switch (property.type, property.isOptional) {
        case (.int, false) where access == Persisted<Int>.self: .int
        case (.int, false) where access == Persisted<Int64>.self: .int64
        case (.int, false) where access == Persisted<Int32>.self: .int32
        case (.bool, false) where access == Persisted<Bool>.self: .bool
        case (.double, false) where access == Persisted<Double>.self: .double
        case (.float, false) where access == Persisted<Float>.self: .float
        case (.string, false) where access == Persisted<String>.self: .string
        case (.date, false) where access == Persisted<Date>.self: .date
        case (.data, false) where access == Persisted<Data>.self: .data
        case (.UUID, false) where access == Persisted<UUID>.self: .uuid
        case (.objectId, false) where access == Persisted<ObjectId>.self: .objectId
        case (.int, true) where access == Persisted<Int?>.self: .optionalInt
        case (.bool, true) where access == Persisted<Bool?>.self: .optionalBool
        case (.double, true) where access == Persisted<Double?>.self: .optionalDouble
        case (.date, true) where access == Persisted<Date?>.self: .optionalDate
        case (.string, true) where access == Persisted<String?>.self: .optionalString
        default: .other
        }
    }

    /// The value in the form of the engine; nil for what may lead to objects, for an identifier that is still to be
    /// generated, and for `other`.
    @inline(__always)
    func encoded(_ wrapper: UnsafeMutableRawPointer, _ arena: ValueArena) -> EngineValue? {
        func read<Value: _Persistable>(_: Value.Type) -> Value? {
            wrapper.assumingMemoryBound(to: Persisted<Value>.self).pointee._unmanaged
        }
        switch self {
        case .int: return .int(Int64(read(Int.self) ?? 0))
        case .int32: return .int(Int64(read(Int32.self) ?? 0))
        case .int64: return .int(read(Int64.self) ?? 0)
        case .bool: return .bool(read(Bool.self) ?? false)
        case .double: return .double(read(Double.self) ?? 0)
        case .float: return .float(read(Float.self) ?? 0)
        case .string: return .string(read(String.self) ?? "", arena)
        case .date: return .date((read(Date.self) ?? Date()).timeIntervalSinceReferenceDate)
        case .data: return .data(read(Data.self) ?? Data(), arena)
        case .uuid: return read(UUID.self).map { .uuid($0.uuid) }
        case .objectId: return read(ObjectId.self).map { .objectId($0.bytes) }
        case .optionalInt: return read(Int?.self)?.map { .int(Int64($0)) } ?? .null
        case .optionalBool: return read(Bool?.self)?.map { .bool($0) } ?? .null
        case .optionalDate: return read(Date?.self)?.map { .date($0.timeIntervalSinceReferenceDate) } ?? .null
        case .optionalDouble: return read(Double?.self)?.map { .double($0) } ?? .null
        case .optionalString: return read(String?.self)?.map { .string($0, arena) } ?? .null
        case .link, .collection, .linkingObjects, .other: return nil
        }
    }

    /// Sets the wrapper of an unmanaged object to a value of exactly its type; false if that needs the general way.
    func store(_ value: Any, _ wrapper: UnsafeMutableRawPointer) -> Bool {
        func write<Value: _Persistable, Given>(_: Value.Type, _ convert: (Given) -> Value) -> Bool {
            guard let given = UntypedValue.exactly(value, Given.self) else { return false }
            wrapper.assumingMemoryBound(to: Persisted<Value>.self).pointee._unmanaged = convert(given)
            return true
        }
        return switch self {
        case .int: write(Int.self) { $0 }
        case .int32: write(Int32.self) { $0 }
        case .int64: write(Int64.self) { $0 }
        case .bool: write(Bool.self) { $0 }
        case .double: write(Double.self) { $0 }
        case .float: write(Float.self) { $0 }
        case .string: write(String.self) { $0 }
        case .date: write(Date.self) { $0 }
        case .data: write(Data.self) { $0 }
        case .uuid: write(UUID.self) { $0 }
        case .objectId: write(ObjectId.self) { $0 }
        case .optionalInt: write(Int?.self) { (value: Int) in value }
        case .optionalBool: write(Bool?.self) { (value: Bool) in value }
        case .optionalDate: write(Date?.self) { (value: Date) in value }
        case .optionalDouble: write(Double?.self) { (value: Double) in value }
        case .optionalString: write(String?.self) { (value: String) in value }
        case .link, .collection, .linkingObjects, .other: false
        }
    }

    /// The object of a link.
    @inline(__always)
    static func link(_ wrapper: UnsafeMutableRawPointer) -> ObjectBase? {
        wrapper.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee._unmanaged ?? nil
    }

    /// Whether a collection was never used, so that no instance of it exists.
    @inline(__always)
    static func isUntouched(_ wrapper: UnsafeMutableRawPointer) -> Bool {
        wrapper.assumingMemoryBound(to: Persisted<List<Int>>.self).pointee._unmanaged == nil
    }

    /// Releases the value of an object that has become managed; false if that needs the general way.
    @inline(__always)
    func forget(_ wrapper: UnsafeMutableRawPointer) -> Bool {
        switch self {
        case .int, .int32, .int64, .bool, .double, .float, .date, .uuid, .objectId, .linkingObjects: break
        case .optionalInt, .optionalBool, .optionalDouble, .optionalDate: break
        case .data: wrapper.assumingMemoryBound(to: Persisted<Data>.self).pointee._unmanaged = nil
        case .string: wrapper.assumingMemoryBound(to: Persisted<String>.self).pointee._unmanaged = nil
        case .optionalString: wrapper.assumingMemoryBound(to: Persisted<String?>.self).pointee._unmanaged = nil
        case .link: wrapper.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee._unmanaged = nil
        case .collection: return Self.isUntouched(wrapper)
        case .other: return false
        }
        return true
    }
}
