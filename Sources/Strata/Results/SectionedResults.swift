// SPDX-License-Identifier: MIT
// SectionedResults.swift -- results in sections of elements that have a key in common.

public import Dispatch
public import Foundation

/// Results in sections: elements with the same key are in one section. It is live, as the results are.
///
/// ```swift
/// let byLetter = realm.objects(Person.self).sectioned(by: \.firstLetter, sortDescriptors: ["name"])
/// for section in byLetter {
///     print(section.key)
///     for person in section { print("  ", person.name) }
/// }
/// ```
///
/// The results are sorted first. The order of the sections is that of their first elements.
public struct SectionedResults<SectionKey: _Persistable & Hashable, Element: RealmCollectionValue> {
    let sections: Sections<SectionKey, Element>

    fileprivate init(
        _ results: Results<Element>, lyingTogether order: SortKey? = nil, _ key: @escaping (Element) -> SectionKey
    ) {
        sections = Sections(results, order, key)
    }

    /// The keys of the sections.
    public var allKeys: [SectionKey] { sections.current.map(\.key) }

    /// How many sections there are.
    public var count: Int { sections.current.count }

    /// The element at the row `indexPath[1]` of the section `indexPath[0]`.
    public subscript(_ indexPath: IndexPath) -> Element { self[indexPath[0]][indexPath[1]] }

    /// The realm that holds the elements.
    public var realm: Realm? { sections.results.realm }

    /// True if the realm was invalidated since; also if the elements came from a collection, or were those that link to
    /// an object, and the owner is gone. Invalid results are empty.
    public var isInvalidated: Bool { sections.results.isInvalidated }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { sections.results.isFrozen }

    /// The same sections for ever, and for every thread that may call the closure with which they were made.
    public func freeze() -> SectionedResults { isFrozen ? self : SectionedResults(sections.freeze()) }

    /// Live sections in a realm of the caller; nil if they were those of a collection whose object was deleted.
    public func thaw() -> SectionedResults? { isFrozen ? sections.thaw().map { SectionedResults($0) } : self }

    init(_ sections: Sections<SectionKey, Element>) { self.sections = sections }
}

/// What sections, and a single one, have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable {
    /// The realm that holds the elements.
    var realm: Realm? { get }
    /// Whether what the elements came from is gone.
    var isInvalidated: Bool { get }
    /// Whether it shows one version for ever.
    var isFrozen: Bool { get }
    /// The same for ever, and for every thread.
    func freeze() -> Self
    /// The live one in a realm of the caller; nil if its object was deleted.
    func thaw() -> Self?
    /// Calls a closure with it, some time later, and then whenever it changed.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken
}

extension SectionedResults: RealmSectionedResult {}
extension ResultsSection: RealmSectionedResult {}

extension SectionedResults: RandomAccessCollection, Equatable {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The position after another. Nothing is asked for it.
    public func index(after i: Int) -> Int { i + 1 }
    /// The position before another.
    public func index(before i: Int) -> Int { i - 1 }
    /// The count.
    public var endIndex: Int { count }

    /// The section at a position; stops the program if there is none.
    public subscript(position: Int) -> ResultsSection<SectionKey, Element> {
        let current = sections.current
        if position < 0 || position >= current.count {
            if sections.results.session.isStopped { return ResultsSection(sections, ._default()) }
            misuse("index \(position) is outside of \(current.count) sections of \(Element.self)")
        }
        return ResultsSection(sections, current[position].key)
    }

    /// True if both are the same value, not if they happen to have the same sections.
    public static func == (left: SectionedResults, right: SectionedResults) -> Bool { left.sections === right.sections }
}

@available(
    *, unavailable,
    message: "live results belong to one thread, queue or actor; send a copy or Frozen")
extension SectionedResults: Sendable {}

/// The elements of ``SectionedResults`` that have a key in common. Live: empty as long as there is no such element.
public struct ResultsSection<SectionKey: _Persistable & Hashable, Element: RealmCollectionValue>: Identifiable {
    let sections: Sections<SectionKey, Element>
    /// The key that the elements have in common.
    public let key: SectionKey

    init(_ sections: Sections<SectionKey, Element>, _ key: SectionKey) {
        self.sections = sections
        self.key = key
    }

    /// The key.
    public var id: SectionKey { key }

    /// How many elements there are.
    public var count: Int { positions.count }

    /// The realm that holds the elements.
    public var realm: Realm? { sections.results.realm }

    /// True if the realm was invalidated since; also if the elements came from a collection, or were those that link to
    /// an object, and the owner is gone. Invalid results are empty.
    public var isInvalidated: Bool { sections.results.isInvalidated }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public var isFrozen: Bool { sections.results.isFrozen }

    /// The same section for ever, and for every thread.
    public func freeze() -> ResultsSection { isFrozen ? self : ResultsSection(sections.freeze(), key) }

    /// The live section in a realm of the caller; nil if it was one of a collection whose object was deleted.
    public func thaw() -> ResultsSection? { isFrozen ? sections.thaw().map { ResultsSection($0, key) } : self }

    private var positions: SectionPositions { sections.positions(of: key) }
}

extension ResultsSection: _PositionalCollection, Equatable {
    /// The count.
    public var endIndex: Int { count }

    /// The element at a position; stops the program if there is none.
    public subscript(position: Int) -> Element {
        let positions = positions
        if position < 0 || position >= positions.count {
            if sections.results.session.isStopped { return sections.results[position] }
            misuse("index \(position) is outside of the \(positions.count) elements of section \(key)")
        }
        return sections.results[positions[position]]
    }

    /// Walks the elements as they are now.
    public func makeIterator() -> Array<Element>.Iterator {
        let results = sections.results
        return positions.ranges.joined().map { results[$0] }.makeIterator()
    }

    /// True if both are the section of one key of the same value.
    public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
        left.sections === right.sections && left.key == right.key
    }
}

@available(
    *, unavailable,
    message: "live results belong to one thread, queue or actor; send a copy or Frozen")
extension ResultsSection: Sendable {}

/// Where the elements of a section are in the results: mostly in one range.
struct SectionPositions {
    private(set) var ranges: [Range<Int>] = []
    private(set) var count = 0

    mutating func append(_ range: Range<Int>) {
        count += range.count
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    subscript(position: Int) -> Int {
        var rest = position
        for range in ranges {
            if rest < range.count { return range.lowerBound + rest }
            rest -= range.count
        }
        misuse("position \(position) is outside of a section of \(count) elements")
    }
}

/// Which elements are in which section. The answer is cached until anything changes.
final class Sections<Key: Hashable, Element: RealmCollectionValue> {
    typealias Section = (key: Key, positions: SectionPositions)
    private typealias Found = (sections: [Section], indexes: [Key: Int])

    let results: Results<Element>
    /// The first key of the order, if the section follows from it. Elements that agree in it then follow each other.
    private let order: SortKey?
    private let key: (Element) -> Key
    private var cached = Cached<Found>()
    private let frozen = SharedCache<Found>()

    init(_ results: Results<Element>, _ order: SortKey?, _ key: @escaping (Element) -> Key) {
        self.results = results
        self.order = order
        self.key = key
    }

    /// The same sections of results that are the same in another session.
    func with(_ results: Results<Element>) -> Sections { Sections(results, order, key) }

    func freeze() -> Sections { with(results.freeze()) }

    func thaw() -> Sections? { results.thaw().map(with) }

    /// The present sections.
    var current: [Section] { update().sections }

    func positions(of key: Key) -> SectionPositions {
        let found = update()
        return found.indexes[key].map { found.sections[$0].positions } ?? SectionPositions()
    }

    private func update() -> Found {
        results.session.checkThread { "sections of \(Element.self)" }
        let isFrozen = results.isFrozen
        if let found = isFrozen ? frozen.value : cached.current(results.session) { return found }
        var found: Found = ([], [:])
        if let order {
            var start = 0
            for count in counts(order) {
                add(results[start], start..<start + count, to: &found)
                start += count
            }
        } else {
            for (position, element) in results.enumerated() { add(element, position..<position + 1, to: &found) }
        }
        if isFrozen { return results.session.isStopped ? found : frozen.set(found) }
        cached = Cached(found, results.session)
        return found
    }

    /// How many elements agree in each value of the first key of the order, in this order.
    private func counts(_ order: SortKey) -> [Int] {
        let counts = results.query.groupSizes(order.path)
        return order.ascending ? counts : counts.reversed()
    }

    private func add(_ element: Element, _ range: Range<Int>, to found: inout Found) {
        let key = key(element)
        if let index = found.indexes[key] {
            found.sections[index].positions.append(range)
        } else {
            found.indexes[key] = found.sections.count
            var positions = SectionPositions()
            positions.append(range)
            found.sections.append((key, positions))
        }
    }
}

// MARK: Making sections

extension RealmCollectionBase where Element: _ObjectElement {
    /// In sections of objects with the same value of a property, sorted by that property.
    ///
    /// The property may be computed, if it reads exactly one persisted property; the objects are sorted by that one.
    public func sectioned<Key: _Persistable & Hashable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath,
            sortDescriptors: [SortDescriptor(keyPath: KeyPathNames.joined(readBy: keyPath), ascending: ascending)])
    }

    /// In sections of objects with the same value of a property, which the first descriptor must sort by.
    ///
    /// The property may be computed, if it reads exactly one persisted property; it is asked once for each value of
    /// that one.
    public func sectioned<Key: _Persistable & Hashable, S: Sequence>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: S
    ) -> SectionedResults<Key, Element> where S.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        let name = KeyPathNames.joined(readBy: keyPath)
        guard let first = descriptors.first else { Self.refuseSections("by \"\(name)\" without sort descriptors") }
        if first.keyPath != name {
            Self.refuseSections("by \"\(name)\", but sorted by \"\(first.keyPath)\" first; sort by \"\(name)\" first")
        }
        let sorted = sorted(by: descriptors)
        let order = first.key(sorted.query.managed)
        // Behind links, an object that is missing is sorted apart from nil, and grouped with it.
        return SectionedResults(sorted, lyingTogether: order.path.columns.count == 1 ? order : nil) {
            $0[keyPath: keyPath]
        }
    }
}

extension RealmCollectionBase {
    /// In sections of elements for which a closure gives the same key. Elements with one key should follow each other
    /// in the order of the descriptors.
    public func sectioned<Key: _Persistable & Hashable, S: Sequence>(
        by block: @escaping (Element) -> Key, sortDescriptors: S
    ) -> SectionedResults<Key, Element> where S.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        if descriptors.isEmpty { Self.refuseSections("without sort descriptors") }
        return SectionedResults(sorted(by: descriptors), block)
    }

    fileprivate static func refuseSections(_ why: String) -> Never { misuse("\(Element.self) is sectioned \(why)") }
}

extension RealmCollectionBase where Element.PersistedType: SortableType {
    /// In sections of values for which a closure gives the same key, sorted.
    public func sectioned<Key: _Persistable & Hashable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        SectionedResults(sorted(ascending: ascending), block)
    }
}
