// SPDX-License-Identifier: MIT
// List+Collection.swift -- the conformances of lists.

import CStrata

extension List: MutableCollection, RandomAccessCollection, RangeReplaceableCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The count.
    public var endIndex: Int { count }

    /// Replaces the elements of a range.
    public func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with objects: C) where C.Element == Element {
        replaceSubrange(RangeOf(subrange), with: objects)
    }

    /// Appends all objects of a sequence.
    public func append<S: Sequence>(contentsOf objects: S) where S.Element == Element { append(objectsIn: objects) }

    /// Walks the elements as they are now. An object is made only if the one before was kept.
    public func makeIterator() -> ObjectCollectionIterator<Element> {
        guard let place else { return ObjectCollectionIterator(ObjectIterator(elements)) }
        return ObjectCollectionIterator(ObjectIterator(.array(place.keys), place.target))
    }
}

/// A range as an expression, to tell the two `replaceSubrange` apart.
private struct RangeOf: RangeExpression {
    let range: Range<Int>
    init(_ range: Range<Int>) { self.range = range }
    func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int { range }
    func contains(_ element: Int) -> Bool { range.contains(element) }
}

extension List: Equatable {
    /// Managed lists are equal if they are the same property of the same object, unmanaged ones if their elements are.
    public static func == (left: List, right: List) -> Bool {
        if left === right { return true }
        switch (left.place, right.place) {
        case (let one?, let other?):
            return one.session === other.session && one.owner === other.owner && one.key == other.key
                && one.column == other.column
        case (nil, nil): return left.elements == right.elements
        default: return false
        }
    }
}

extension List: CustomStringConvertible {
    /// The elements as text.
    public var description: String { collectionText("List<\(Element.self)>", self) }
}

extension List: ObjectCollection {
    var snapshot: [Object] {
        guard let place else { return elements }
        return place.keys.map { place.target.makeObject($0) }
    }

    func becomeManaged(_ managed: ManagedClass, _ key: UInt64, _ column: UInt32, _ target: ManagedClass) {
        place = ListPlace(managed, key, column, target, moment: managed.session.moment)
        elements = []
    }
}

extension List: _Persistable {
    public static var _shape: _PropertyShape { _PropertyShape(.object, isList: true, target: Element.self) }

    public static func _read(_ row: _Row, _ column: UInt32) -> List {
        let owner = LiveRow.owner(row)
        guard owner._mode == .live, let managed = owner.managed else { return List() }
        return List(
            ListPlace(managed, row.pointee.key, column, managed.target(ofColumn: column), moment: owner._moment))
    }

    public static func _write(_ value: List, _ row: _Row, _ column: UInt32) {
        guard LiveRow.changing(row, column) != nil else { return }
        _read(row, column).take(value)
    }

    public static func _assigned(_ value: List, over current: List?) -> List {
        let list = current ?? List()
        list.take(value)
        return list
    }

    public static func _initial() -> List? { AccessorBuilding.isOn ? nil : List() }

    public static func _default() -> List { List() }

    public static func _stored(_ value: List) -> _StoredValue { .collection(value) }

    public static func _value(_ stored: _StoredValue) -> List? {
        switch stored {
        case .collection(let list): return list as? List
        case .elements(let objects):
            let list = List()
            list.elements = objects.compactMap { $0 as? Element }
            return list.elements.count == objects.count ? list : nil
        default: return nil
        }
    }

    /// Replaces all elements by those of another list; of itself, it keeps them.
    private func take(_ other: List) {
        if self == other && (place != nil || self === other) { return }
        let objects = other.snapshot.compactMap { $0 as? Element }
        removeAll()
        append(objectsIn: objects)
    }
}
