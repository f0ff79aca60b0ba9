// SPDX-License-Identifier: MIT
// AnyRealmValue+Collections.swift -- lists and maps as elements of lists and maps.

extension RealmCollectionValue {
    /// An element that is about to be removed: a copy of a list or a map, which is gone with its place.
    static func _detached(_ value: Self) -> Self {
        Self.self == AnyRealmValue.self ? _value(_stored(value)) ?? value : value
    }

    /// A value as an unmanaged collection may keep it: a copy of a list or a map that holds the collection.
    static func _kept(_ value: Self, in collection: AnyObject) -> Self {
        guard Self.self == AnyRealmValue.self, let any = value as? AnyRealmValue, any.holds(collection) else {
            return value
        }
        return _value(_stored(value)) ?? value
    }
}

extension AnyRealmValue {
    /// Whether this is an unmanaged collection, or one of its elements is.
    fileprivate func holds(_ collection: AnyObject) -> Bool {
        switch self {
        case .list(let list):
            list === collection || list.place == nil && list.elements.contains { $0.holds(collection) }
        case .dictionary(let map):
            map === collection || map.place == nil && map.values.contains { $0.holds(collection) }
        default: false
        }
    }
}
