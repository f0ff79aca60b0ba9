// SPDX-License-Identifier: MIT
// UnmanagedValue.swift -- reads the values of unmanaged objects without asking Swift for the metadata of each wrapper.

import CStrata
import Foundation

/// How to read the wrapper of a property whose type is one of the common ones.
///
/// The general way, `PersistedAccess`, looks up generic metadata on each call, which costs more than storing the value.
enum UnmanagedValue: UInt8 {
    case int, bool, double, float, string, date
    case optionalInt, optionalDouble, optionalString
    /// An Optional of any class: all have the layout of `Object?`.
    case link
    /// A list, a set or a map: all are classes.
    case collection
    /// Any other type.
    case other

    /// The way for a type of wrappers.
    init(_ access: any PersistedAccess.Type, _ property: Property) {
        let common: [(any PersistedAccess.Type, UnmanagedValue)] = [
            (Persisted<Int>.self, .int), (Persisted<Bool>.self, .bool), (Persisted<Double>.self, .double),
            (Persisted<Float>.self, .float), (Persisted<String>.self, .string), (Persisted<Date>.self, .date),
            (Persisted<Int?>.self, .optionalInt), (Persisted<Double?>.self, .optionalDouble),
            (Persisted<String?>.self, .optionalString),
        ]
        if access._isLink {
            self = .link
        } else if access._isWrapper, property.isCollection {
            self = .collection
        } else {
            self = common.first { $0.0 == access }?.1 ?? .other
        }
    }

    /// The value as the engine takes it; nil of `link` and `other`.
    @inline(__always)
    func encoded(_ wrapper: UnsafeMutableRawPointer, _ arena: ValueArena) -> strata_value? {
        func read<Value: _Persistable>(_: Value.Type) -> Value? {
            wrapper.assumingMemoryBound(to: Persisted<Value>.self).pointee._unmanaged
        }
        switch self {
        case .int: return strata_int(Int64(read(Int.self) ?? 0))
        case .bool: return strata_bool(read(Bool.self) ?? false)
        case .double: return strata_double(read(Double.self) ?? 0)
        case .float: return strata_float(read(Float.self) ?? 0)
        case .string: return Self.text(read(String.self) ?? "", arena)
        case .date: return strata_date((read(Date.self) ?? Date()).timeIntervalSinceReferenceDate)
        case .optionalInt: return read(Int?.self)?.map { strata_int(Int64($0)) } ?? strata_null()
        case .optionalDouble: return read(Double?.self)?.map { strata_double($0) } ?? strata_null()
        case .optionalString: return read(String?.self)?.map { Self.text($0, arena) } ?? strata_null()
        case .link, .collection, .other: return nil
        }
    }

    /// The object of a link.
    @inline(__always)
    static func link(_ wrapper: UnsafeMutableRawPointer) -> ObjectBase? {
        wrapper.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee._unmanaged ?? nil
    }

    /// Whether a collection was never used, so that there is none yet.
    @inline(__always)
    static func isUntouched(_ wrapper: UnsafeMutableRawPointer) -> Bool {
        wrapper.assumingMemoryBound(to: Persisted<List<Int>>.self).pointee._unmanaged == nil
    }

    /// Releases the value of an object that has become managed; false if that needs the general way.
    @inline(__always)
    func forget(_ wrapper: UnsafeMutableRawPointer) -> Bool {
        switch self {
        case .int, .bool, .double, .float, .date, .optionalInt, .optionalDouble: break
        case .string: wrapper.assumingMemoryBound(to: Persisted<String>.self).pointee._unmanaged = nil
        case .optionalString: wrapper.assumingMemoryBound(to: Persisted<String?>.self).pointee._unmanaged = nil
        case .link: wrapper.assumingMemoryBound(to: Persisted<ObjectBase?>.self).pointee._unmanaged = nil
        case .collection: return Self.isUntouched(wrapper)
        case .other: return false
        }
        return true
    }

    private static func text(_ value: String, _ arena: ValueArena) -> strata_value {
        var value = value
        return value.withUTF8 { text in
            let bytes = arena.copy(UnsafeRawBufferPointer(text))
            return strata_string(bytes.assumingMemoryBound(to: CChar.self), text.count)
        }
    }
}
