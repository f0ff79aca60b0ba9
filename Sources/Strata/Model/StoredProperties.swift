// SPDX-License-Identifier: MIT
// StoredProperties.swift -- where a class keeps its wrappers: the only file that knows how Swift lays out objects.

@_spi(Reflection) import Swift

/// Asks for the fields of an object and not of a value; `_EachFieldOptions.classType`, which is not a constant.
private let isClass = _EachFieldOptions(rawValue: 1)

/// A stored field of a class that is a ``Persisted`` wrapper.
struct WrapperField {
    /// The name of the property.
    let name: String
    /// Bytes from the start of the object to the wrapper.
    let offset: Int
    let access: any PersistedAccess.Type
}

/// The stored fields of a class and those it inherits.
struct StoredProperties {
    /// The wrappers, inherited ones first, each in the order of declaration.
    private(set) var wrappers: [WrapperField] = []
    /// Whether there are stored fields that are no wrappers.
    private(set) var hasOthers = false

    /// Reads the layout of a class.
    init(_ type: Object.Type) {
        var chain: [AnyClass] = []
        var next: AnyClass? = type
        while let current = next, current != Object.self {
            chain.append(current)
            next = _getSuperclass(current)
        }
        for current in chain.reversed() { read(current) }
    }

    private mutating func read(_ type: AnyClass) {
        var found: [WrapperField] = []
        var others = false
        _ = _forEachField(of: type, options: isClass) { name, offset, fieldType, _ in
            if let access = fieldType as? any PersistedAccess.Type {
                let label = String(cString: name)
                let property = label.hasPrefix("_") ? String(label.dropFirst()) : label
                found.append(WrapperField(name: property, offset: offset, access: access))
            } else {
                others = true
            }
            return true
        }
        wrappers += found
        hasOthers = hasOthers || others
    }

    /// Where `Object` keeps its row. Checked once, because everything rests on it.
    static func checkLayout() {
        var first: Int?
        _ = _forEachField(of: Object.self, options: isClass) { _, offset, _, _ in
            first = offset
            return false
        }
        precondition(first == Object.rowOffset, "the layout of Object is not what Strata was built for")
    }
}
