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

    /// Reads the layout of a class. The fields of `Object` itself come first and are skipped.
    init(_ type: Object.Type) {
        var own = 0
        Self.fields(of: Object.self) { _, _, _ in own += 1 }
        var found: [WrapperField] = []
        var total = 0
        Self.fields(of: type) { name, offset, fieldType in
            total += 1
            guard total > own, let access = fieldType as? any PersistedAccess.Type else { return }
            let property = name.hasPrefix("_") ? String(name.dropFirst()) : name
            found.append(WrapperField(name: property, offset: offset, access: access))
        }
        wrappers = found
        hasOthers = total > own + found.count
    }

    /// Visits the stored fields of a class, inherited ones first.
    private static func fields(of type: AnyClass, _ body: (String, Int, Any.Type) -> Void) {
        _ = _forEachField(of: type, options: isClass) { name, offset, fieldType, _ in
            body(String(cString: name), offset, fieldType)
            return true
        }
    }

    /// Where `Object` keeps its row. Checked once, because everything rests on it.
    static func checkLayout() {
        var first: Int?
        fields(of: Object.self) { _, offset, _ in first = first ?? offset }
        precondition(first == Object.rowOffset, "the layout of Object is not what Strata was built for")
    }
}
