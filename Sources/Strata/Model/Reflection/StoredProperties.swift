// SPDX-License-Identifier: MIT
// StoredProperties.swift -- where objects have their properties: the only file that knows how Swift lays out objects.

import Foundation
@_spi(Reflection) import Swift

/// Asks for the fields of an instance of a class; `_EachFieldOptions.classType`, which is not a constant.
private let isClass = _EachFieldOptions(rawValue: 1)

/// A stored field of a class that is a persisted property.
struct StoredField {
    /// The name of the property.
    let name: String
    /// Bytes from the start of the object to the field.
    let offset: Int
    let access: any PersistedAccess.Type
}

/// A stored field that would be a persisted property if its class marked none with ``Persisted``.
struct ForgottenField {
    /// The class that declares it.
    let owner: ObjectBase.Type
    let name: String
    /// Bytes from the start of the object to the field.
    let offset: Int
    let type: any UnmarkedProperty.Type
}

/// The stored fields of a class and those it inherits.
struct StoredProperties {
    /// Fields marked with ``Persisted``, inherited ones first, each in the order of declaration.
    var wrappers: [StoredField] { persisted.filter { $0.access._isWrapper } }
    /// All persisted fields. If a class marks none, lists, linking objects and boxes without a mark are persisted.
    private(set) var persisted: [StoredField] = []
    /// Lists, linking objects and boxes without a mark in classes that mark others, unless the class ignores them.
    private(set) var forgotten: [ForgottenField] = []
    /// The names of stored fields that are not marked.
    private(set) var others: Set<String> = []
    /// Whether there are stored fields that are not marked.
    var hasOthers: Bool { !others.isEmpty }

    /// Reads the layout of a class. The fields of `ObjectBase` itself come first and are skipped.
    private init(_ type: ObjectBase.Type) {
        var all: [Field] = []
        Self.fields(of: type) { all.append((name: $0, offset: $1, type: $2)) }
        let ignored = Set(type.ignoredProperties())
        var first = Self.countOfBase
        for current in Self.chain(type) {
            let end = current == type ? all.count : Self.count(current)
            add(all[first..<end], of: current, ignoring: ignored)
            first = end
        }
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: StoredProperties] = [:]  // guarded by `lock`

    /// The fields of a class, which are read once, because the runtime takes long. May be called from every thread.
    static func of(_ type: ObjectBase.Type) -> StoredProperties {
        let id = ObjectIdentifier(type)
        if let properties = lock.withLock({ known[id] }) { return properties }
        let properties = StoredProperties(type)
        lock.withLock { known[id] = properties }
        return properties
    }

    private typealias Field = (name: String, offset: Int, type: Any.Type)

    /// Adds the fields that one class declares.
    private mutating func add(_ fields: ArraySlice<Field>, of owner: ObjectBase.Type, ignoring ignored: Set<String>) {
        var marked: [StoredField] = [], unmarked: [ForgottenField] = []
        for field in fields {
            if let access = field.type as? any PersistedAccess.Type {
                let name = field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
                marked.append(StoredField(name: name, offset: field.offset, access: access))
                continue
            }
            others.insert(field.name)
            guard !ignored.contains(field.name), let type = field.type as? any UnmarkedProperty.Type else { continue }
            unmarked.append(ForgottenField(owner: owner, name: field.name, offset: field.offset, type: type))
        }
        if marked.isEmpty {
            persisted += unmarked.map { StoredField(name: $0.name, offset: $0.offset, access: $0.type.access) }
        } else {
            persisted += marked
            forgotten += unmarked
        }
    }

    /// A class and its superclasses, the most basic first, without those of the library, which declare nothing more
    /// than `ObjectBase`.
    private static func chain(_ type: ObjectBase.Type) -> [ObjectBase.Type] {
        var chain: [ObjectBase.Type] = []
        var current: ObjectBase.Type? = type
        while let next = current, next != Object.self, next != EmbeddedObject.self, next != ObjectBase.self {
            chain.insert(next, at: 0)
            current = _getSuperclass(next) as? ObjectBase.Type
        }
        return chain
    }

    private static func count(_ type: AnyClass) -> Int {
        var count = 0
        fields(of: type) { _, _, _ in count += 1 }
        return count
    }

    /// Visits the stored fields of a class, inherited ones first.
    private static func fields(of type: AnyClass, _ body: (String, Int, Any.Type) -> Void) {
        _ = _forEachField(of: type, options: isClass) { name, offset, fieldType, _ in
            body(String(cString: name), offset, fieldType)
            return true
        }
    }

    /// How many fields `ObjectBase` has. Checks where objects have their row, because everything depends on it.
    private static let countOfBase: Int = {
        var offsets: [Int] = []
        fields(of: ObjectBase.self) { _, offset, _ in offsets.append(offset) }
        precondition(
            offsets.first == ObjectBase.rowOffset, "the layout of ObjectBase is not what Strata was built for")
        return offsets.count
    }()
}
