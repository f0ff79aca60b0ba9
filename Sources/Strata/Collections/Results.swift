// SPDX-License-Identifier: MIT
// Results.swift -- the lazy, live result of a query.

/// The objects that a query finds.
///
/// Results are lazy: nothing is looked up before it is needed. They are live: after a change, and after the realm moved
/// to another version, they show what the query finds then. A loop walks the objects as they were when it began.
///
/// ```swift
/// for dog in realm.objects(Dog.self).where({ $0.age > 3 }).sorted(by: \.name) { ... }
/// ```
///
/// Thread: that of the realm. A failure to read the file, which only damage can cause, stops the program.
public struct Results<Element: Object>: Equatable {
    let query: LiveQuery

    init(_ query: LiveQuery) { self.query = query }

    /// True if both are the same value, not if they happen to find the same objects.
    public static func == (left: Results, right: Results) -> Bool { left.query === right.query }

    /// The realm that holds the objects is open as long as the result exists.
    var session: Session { query.session }

    /// How many objects there are. Objects are not looked up for it where an index, or the table, knows.
    public var count: Int { query.count }

    /// Whether there is none.
    public var isEmpty: Bool { query.count == 0 }

    /// The first object, found without the others.
    public var first: Element? { query.first.map { unsafeDowncast($0, to: Element.self) } }

    /// The last object.
    public var last: Element? { query.last.map { unsafeDowncast($0, to: Element.self) } }

    /// The position of an object, or nil if it is not among them.
    public func index(of object: Element) -> Int? { query.position(of: object) }

    /// True if the objects came from a list, or were those that link to an object, and the owner is gone.
    public var isInvalidated: Bool { query.isInvalidated }

    /// Results of a live realm are not frozen.
    public var isFrozen: Bool { false }

    /// The first so many objects. Must come last: a limited result can be neither filtered nor sorted.
    public func limit(_ count: Int) -> Results {
        if count < 0 { misuse("limit(\(count)) is negative") }
        return Results(query.limited(to: count))
    }

    /// In the order of a property; the order so far decides among equals.
    ///
    /// - Parameter keyPath: names of to-one links, then of the property, joined by dots.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// In the order of a property; the order so far decides among equals.
    public func sorted<Value: _Persistable>(by keyPath: KeyPath<Element, Value>, ascending: Bool = true) -> Results {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// In the order of some properties, the most important first.
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results {
        Results(query.sorted(descriptors.map(\.key)))
    }

    /// Runs the query and tells how.
    public func explain() -> QueryExplanation { QueryExplanation(query.run().1) }
}

@available(*, unavailable, message: "live results belong to one thread")
extension Results: Sendable {}

extension Results: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The count.
    public var endIndex: Int { query.count }

    /// The object at a position; stops the program if there is none.
    public subscript(position: Int) -> Element { unsafeDowncast(query.object(at: position), to: Element.self) }

    /// Walks the objects as they are now. An object is made only if the one before was kept.
    public func makeIterator() -> ObjectCollectionIterator<Element> { ObjectCollectionIterator(query.walk()) }
}

extension Results: CustomStringConvertible {
    /// The objects as text, a hundred at most.
    public var description: String { collectionText("Results<\(Element.self)>", self) }
}

/// The text of a collection of objects.
func collectionText<Element: Object>(_ title: String, _ objects: some Collection<Element>) -> String {
    let shown = objects.prefix(100).enumerated().map { index, object in
        "\t[\(index)] " + object.text(depth: 4).replacing("\n", with: "\n\t")
    }
    let rest = objects.count - shown.count
    let note = rest > 0 ? "\n\t... \(rest) objects skipped." : ""
    return "\(title) (\n" + shown.joined(separator: ",\n") + note + "\n)"
}

/// How a query was run.
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// What was done, in one line, such as "index age = 42, then filter".
    public let plan: String
    /// Objects whose values were looked at.
    public let rowsVisited: Int
    /// Objects found.
    public let rowsReturned: Int
    /// Entries of indexes that were walked one by one.
    public let indexEntriesVisited: Int

    init(_ run: LiveQuery.Run) {
        plan = run.plan
        rowsVisited = run.rowsVisited
        rowsReturned = run.rowsReturned
        indexEntriesVisited = run.entriesVisited
    }

    /// One line.
    public var description: String {
        "\(plan): \(rowsVisited) rows and \(indexEntriesVisited) index entries visited, \(rowsReturned) rows returned"
    }
}
