// SPDX-License-Identifier: MIT
// Results.swift -- the lazy, live result of a query.

/// The objects that a query finds, or the values of a collection in order.
///
/// Results are lazy: nothing is looked up before it is needed. They are live: after a change, and after the realm moved
/// to another version, they show what the query finds then. A loop walks the objects as they were when it began.
///
/// ```swift
/// for dog in realm.objects(Dog.self).where({ $0.age > 3 }).sorted(by: \.name) { print(dog.age) }
/// ```
///
/// Thread: that of the realm. A failure to read the file, which only damage can cause, stops the program.
public struct Results<Element: RealmCollectionValue>: Equatable {
    private enum Source {
        case objects(LiveQuery)
        case values(ValueQuery)
    }
    private let source: Source

    /// Finds objects: `Element` is their class, or a type whose values are stored as them.
    init(_ query: LiveQuery) { source = .objects(query) }

    /// Finds values.
    init(_ query: ValueQuery) { source = .values(query) }

    /// The query for objects.
    var query: LiveQuery {
        guard case .objects(let query) = source else { misuse("a Results<\(Element.self)> finds no objects") }
        return query
    }

    /// The query for values.
    var values: ValueQuery {
        guard case .values(let query) = source else { misuse("a Results<\(Element.self)> finds no values") }
        return query
    }

    /// The query for objects; stops the program if the elements are values.
    ///
    /// - Parameter what: what cannot be done with values, such as "filtered".
    func objects(toBe what: String) -> LiveQuery {
        guard case .objects(let query) = source else {
            misuse("\(values.collection.name) holds values, which have no properties and cannot be \(what)")
        }
        return query
    }

    /// Whether the elements are objects.
    var findsObjects: Bool { if case .objects = source { true } else { false } }

    /// These results.
    @inlinable
    public var results: Results { self }

    /// True if both are the same value, not if they happen to find the same objects.
    public static func == (left: Results, right: Results) -> Bool {
        switch (left.source, right.source) {
        case (.objects(let one), .objects(let other)): one === other
        case (.values(let one), .values(let other)): one === other
        default: false
        }
    }

    /// The session of the elements. It is open as long as the result exists.
    var session: Session {
        switch source {
        case .objects(let query): query.session
        case .values(let query): query.collection.session
        }
    }

    /// How many elements there are. Objects are not looked up for it where an index, or the table, knows.
    public var count: Int {
        switch source {
        case .objects(let query): query.count
        case .values(let query): query.count
        }
    }

    /// Whether there are no elements. At most one object is searched for.
    public var isEmpty: Bool {
        switch source {
        case .objects(let query): query.isEmpty
        case .values(let query): query.count == 0
        }
    }

    /// The first element; an object is found without the others.
    public var first: Element? {
        switch source {
        case .objects(let query): query.first.map(Element._element(of:))
        case .values(let query): query.count == 0 ? nil : value(at: 0)
        }
    }

    /// The last element.
    public var last: Element? {
        switch source {
        case .objects(let query): query.last.map(Element._element(of:))
        case .values(let query): query.count == 0 ? nil : value(at: query.count - 1)
        }
    }

    /// The position of an element, or nil if it is not among them.
    public func index(of element: Element) -> Int? {
        switch source {
        case .objects(let query):
            if let object = element as? ObjectBase { return query.position(of: object) }
            return enumerated().first { $0.element == element }?.offset  // values that are stored as objects
        case .values(let query):
            let target = Element._stored(element)
            return query.values.firstIndex { _StoredValue.order($0, target) == 0 }
        }
    }

    /// True if the realm was invalidated since; also if the elements came from a collection, or were those that link to
    /// an object, and the owner is gone. Invalid results are empty.
    public var isInvalidated: Bool {
        switch source {
        case .objects(let query): query.isInvalidated
        case .values(let query): query.collection.isInvalidated
        }
    }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { session.isFrozen }

    /// The element at a position; stops the program if there is none.
    ///
    /// For positions that follow each other, an object that the program did not keep shows the next row, as in a loop.
    /// A weak reference does not keep it.
    @inlinable
    public subscript(position: Int) -> Element {
        if let object = object(at: position) { return Element._element(of: object) }
        return value(at: position)
    }

    /// The object at a position; nil if the elements are values.
    @usableFromInline
    func object(at position: Int) -> ObjectBase? {
        if case .objects(let query) = source { query.object(at: position) } else { nil }
    }

    @usableFromInline
    func value(at position: Int) -> Element {
        values.value(at: position).map(Element._element(_:)) ?? Element._default()
    }

    /// Walks the elements as they are now. A new object is made only if the program kept the one before.
    public func makeIterator() -> RLMIterator<Element> {
        switch source {
        case .objects(let query): RLMIterator(query.iterator())
        case .values(let query): RLMIterator(query.values.map { Element._element($0) })
        }
    }
}

@available(
    *, unavailable,
    message: "live results belong to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension Results: Sendable {}

extension Results: _PositionalCollection {
    /// The count.
    public var endIndex: Int { count }
}

extension Results: CustomStringConvertible {
    /// The objects as text, a hundred at most.
    public var description: String {
        let text =
            switch source {
            case .objects(let query): CollectionText("Results", of: query.managed.name, at: query, count: count)
            case .values(let query): CollectionText("Results", of: Element.contentText, at: query, count: count)
            }
        return text.text(depth: ValueText.depth, self)
    }
}
