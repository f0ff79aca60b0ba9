// SPDX-License-Identifier: MIT
// PersistedCollection.swift -- what lists, sets and maps have in common, whatever they hold.

/// A list, a set or a map that is the value of a property.
///
/// Invariant: it either shows a column of a live object, then `live` is set and it has no elements of its own, or it is
/// unmanaged and has its own elements.
protocol PersistedCollection: AnyObject {
    /// The collection in the realm; nil while this one is unmanaged.
    var live: ManagedCollection? { get }
    /// The present elements: `.elements` or `.entries`.
    var contents: _StoredValue { get }
    /// Makes an unmanaged collection show a column.
    func becomeManaged(_ live: ManagedCollection)
    /// Replaces the elements of an unmanaged collection; false if contents do not fit.
    func fill(_ contents: _StoredValue) -> Bool
    /// Replaces the elements of an unmanaged collection by those of another collection.
    func copyElements(of other: Self)
    /// The type of the elements.
    static var elementType: any RealmCollectionValue.Type { get }
    /// The name of the type, such as "List<Int>".
    static var typeName: String { get }
    /// Whether this is a set, whose elements have no positions.
    static var isSet: Bool { get }
}

extension PersistedCollection {
    static var isSet: Bool { false }

    /// Replaces all elements by those of another collection; assigning a collection to itself changes nothing.
    func assign(_ other: Self) {
        if self === other { return }
        guard let live else { return copyElements(of: other) }
        if let source = other.live, live.isSame(as: source) { return }
        live.replace(with: other.contents)
    }

    /// What a setter of a live object does.
    static func write(_ value: Self, _ row: _Row, _ column: UInt32) where Self: _Persistable {
        guard LiveRow.changing(row, column) != nil else { return }
        Self._read(row, column).assign(value)
    }

    /// The collection that a general form describes; nil if it does not fit. `new` is filled if it is no collection
    /// yet.
    static func from(_ stored: _StoredValue, _ new: @autoclosure () -> Self) -> Self? {
        if case .collection(let collection) = stored { return collection as? Self }
        let collection = new()
        return collection.fill(stored) ? collection : nil
    }

    /// Whether two collections are equal: managed ones if they are the same, unmanaged ones if their elements are.
    func isEqual(_ other: Self, elements areEqual: () -> Bool) -> Bool {
        if self === other { return true }
        switch (live, other.live) {
        case (let one?, let other?): return one.isSame(as: other)
        case (nil, nil): return areEqual()
        default: return false
        }
    }

    /// The collection in the realm; stops the program if this one is unmanaged.
    ///
    /// - Parameter what: what cannot be done with an unmanaged collection, such as "queried".
    func managed(toBe what: String) -> ManagedCollection {
        guard let live else { misuse("an unmanaged \(Self.typeName) cannot be \(what); add its object first") }
        return live
    }
}

/// A list or a set.
protocol ElementCollection<Element>: PersistedCollection, Sequence
where Element: RealmCollectionValue {
    /// The elements, while unmanaged.
    var elements: [Element] { get }
}

extension ElementCollection {
    static var elementType: any RealmCollectionValue.Type { Element.self }

    var contents: _StoredValue {
        .elements(live.map { $0.values(0..<$0.count) } ?? elements.map(Element._stored))
    }

    /// A loop over the present elements.
    var iterator: RLMIterator<Element> { live.map { RLMIterator($0) } ?? RLMIterator(elements) }

    /// The element at a position, in the general way; stops the program if there is none.
    func generalElement(at position: Int) -> Element {
        if let live { return Element._element(live.value(at: position)) }
        if position < 0 || position >= elements.count {
            if KeyPathRecorder.isReading { return Element._default() }
            misuse("index \(position) is outside of a \(Self.typeName), which has \(elements.count) elements")
        }
        return elements[position]
    }
}
