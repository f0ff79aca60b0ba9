// SPDX-License-Identifier: MIT
// CollectionMember.swift -- an element of an unmanaged collection, as it is compared with others.

/// An element of an unmanaged collection. Two are equal if they would be equal in a realm, where strings are compared by
/// their bytes, so that two spellings of "é" are two elements, and where NaN is equal to itself.
struct CollectionMember<Element: RealmCollectionValue>: Hashable {
    private let element: Element

    init(_ element: Element) { self.element = element }

    static func == (left: CollectionMember, right: CollectionMember) -> Bool {
        switch (Element._stored(left.element), Element._stored(right.element)) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (let one, let other) where one.isNaN && other.isNaN: true
        default: left.element == right.element
        }
    }

    func hash(into hasher: inout Hasher) {
        if Element._stored(element).isNaN { hasher.combine(Double.nan) } else { element.hash(into: &hasher) }
    }
}

extension _StoredValue {
    fileprivate var isNaN: Bool {
        switch self {
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        default: false
        }
    }
}
