// SPDX-License-Identifier: MIT
// RealmCollectionValue+Elements.swift -- values as elements of lists, sets and maps.

extension RealmCollectionValue {
    /// The element that a stored value stands for. One that has no Swift value reads as nil, if the element can be nil,
    /// and stops the program otherwise.
    static func _element(_ stored: _StoredValue) -> Self {
        if let value = _value(stored) { return value }
        if let none = _value(.null) { return none }
        misuse(
            "a collection holds \(stored.text), which is no \(Self.self); add the case, or make the element Optional")
    }

    public static func _element(of object: AnyObject) -> Self { _element(.object(object)) }

    /// A value of unknown type as an element, converted as properties convert values; nil if it does not fit.
    static func _converted(_ value: Any) -> Self? {
        UntypedValue.exactly(value, Self.self) ?? _accepted(value).flatMap(_value)
    }

    /// An element that is about to be removed. A list or a map among values of any type becomes a copy, because what it
    /// shows is gone with the element.
    static func _detached(_ value: Self) -> Self {
        Self.self == AnyRealmValue.self ? _value(_stored(value)) ?? value : value
    }

    /// What an unmanaged collection stores for a value: a copy of a list or a map that contains the collection itself.
    static func _withoutCycle(_ value: Self, in collection: AnyObject) -> Self {
        guard Self.self == AnyRealmValue.self, let any = value as? AnyRealmValue, any.contains(collection) else {
            return value
        }
        return _value(_stored(value)) ?? value
    }
}

extension AnyRealmValue {
    /// Whether this is an unmanaged collection, or one of its elements is.
    fileprivate func contains(_ collection: AnyObject) -> Bool {
        switch self {
        case .list(let list):
            list === collection || list.live == nil && list.elements.contains { $0.contains(collection) }
        case .dictionary(let map):
            map === collection || map.live == nil && map.values.contains { $0.contains(collection) }
        default: false
        }
    }
}
