// SPDX-License-Identifier: MIT
// Results+Pages.swift -- results page by page, continued where the last page ended, also after a restart.

import Foundation

/// Some of the objects of a result, and where the next ones are.
public struct ResultsPage<Element: RealmCollectionValue>: RandomAccessCollection {
    /// The objects, in the order of the result.
    public let elements: [Element]
    /// Where the next page begins; nil if this was the last one.
    public let next: PageToken?
    /// How the engine found the objects.
    public let explanation: QueryExplanation

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many objects there are.
    public var endIndex: Int { elements.count }
    /// The object at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

/// A position in the order of a result: behind an object, which need not exist any more. Can be stored.
public struct PageToken: Codable, Hashable, Sendable {
    /// The class and the order, with the types of its keys. A token of another order is refused.
    fileprivate let order: [String]
    fileprivate let values: [PageValue]
    fileprivate let key: UInt64
}

extension RealmCollectionBase where Element: _ObjectElement {
    /// A page of the objects: the first page, or the one that follows another page.
    ///
    /// ```swift
    /// let people = realm.objects(Person.self).sorted(by: \.name)
    /// var page = try people.page(size: 50)
    /// while let next = page.next {
    ///     page = try people.page(size: 50, after: next)
    /// }
    /// ```
    ///
    /// A page begins behind the last object of the page before, by the values it had and not by its position. So no
    /// object is shown twice or left out because others were added or deleted meanwhile, and the token can be stored
    /// and used after a restart. With an index on the first property that is sorted by, the engine visits only what it
    /// returns.
    ///
    /// There are pages of all objects of a class, filtered and sorted or not. A result of a collection, and one that is
    /// distinct or limited, has no pages.
    ///
    /// - Throws: `Realm.Error.invalidInput` if the token is of another class or order, of an earlier schema, or
    ///   damaged. A token may come from anywhere.
    public func page(size: Int, after token: PageToken? = nil) throws -> ResultsPage<Element> {
        if size < 1 { misuse("page(size: \(size)) has no room for an object") }
        let query = results.objects(toBe: "shown in pages")
        return ResultsPage(try query.page(size, token))
    }
}

extension ResultsPage {
    fileprivate init(_ page: (objects: [ObjectBase], next: PageToken?, run: EngineQueryRun)) {
        elements = page.objects.map(Element._element(of:))
        next = page.next
        explanation = QueryExplanation(page.run)
    }
}

extension LiveQuery {
    /// The keys of the order; stops the program if the result has no pages.
    private var pageKeys: [SortKey] {
        if case .table = source {
            switch (stages.count, stages.first) {
            case (0, _): return []
            case (1, .sort(let keys)?): return keys
            default: break
            }
        }
        misuse(
            "pages of \(managed.name) need all objects of the class, filtered and sorted; "
                + "a collection, distinct and limit have no pages")
    }

    fileprivate func page(
        _ size: Int, _ token: PageToken?
    ) throws -> (objects: [ObjectBase], next: PageToken?, run: EngineQueryRun) {
        let sortKeys = pageKeys
        let order = [managed.name] + sortKeys.map(name)
        if let token, token.order != order || token.values.count != sortKeys.count {
            throw StrataError(
                .invalidInput,
                "a page of \(managed.name) is continued with a token of another class or order, or "
                    + "from before its properties changed; begin anew without a token")
        }
        // One more than the size of a page, to know whether there is a next page.
        let (found, run) = try keys(after: token, EngineLimit(skip: 0, count: size == .max ? size : size + 1))
        let objects = (0..<min(size, found.count)).map { managed.makeObject(found[$0]) }
        guard found.count > size, let last = objects.last else { return (objects, nil, run) }
        let values = sortKeys.map { value($0.path, of: last) }
        return (objects, PageToken(order: order, values: values, key: last.row.key), run)
    }

    /// A key of the order as a token names it, with the type of its values.
    private func name(_ key: SortKey) -> String {
        let columns = key.path.columns.map(String.init).joined(separator: ".")
        return "\(key.ascending ? "+" : "-")\(columns) \(key.path.property.type)"
    }

    /// The keys of a page. The engine checks whether the token fits.
    private func keys(after token: PageToken?, _ limit: EngineLimit) throws -> (EngineKeys, EngineQueryRun) {
        guard let token else { return explainedRun(limit: limit) }
        checkThread()
        let arena = ValueArena(size: 512)
        let values = try token.values.map { value throws(StrataError) in try value.engine(arena) }
        do throws(StrataError) {
            return try session.view.explainedRun(
                engineQuery(limit: limit, after: EngineBookmark(values, key: token.key, arena)))
        } catch {
            if session.noteStop("the query on \(managed.name)", error) { return (.none, .stopped) }
            throw StrataError(.invalidInput, "a page is continued with a token that does not fit: \(error.message)")
        }
    }

    /// The value at the end of a path from an object.
    private func value(_ path: ColumnPath, of object: ObjectBase) -> PageValue {
        session.read("reading \(managed.name)") { () throws(StrataError) in
            var row = EngineRow.empty
            var managed = managed, key = object.row.key
            for column in path.columns.dropLast() {
                guard try session.view.bind(&row, to: managed.table, key) else { return .missing }
                key = row.link(column)
                if key == 0 { return .missing }
                managed = managed.target(ofColumn: column)
            }
            guard let last = path.columns.last, try session.view.bind(&row, to: managed.table, key) else {
                return .missing
            }
            let stored = try session.storedValue(&row, managed, last)
            guard let value = PageValue(stored) else {
                misuse("\(managed.name) is shown in pages in the order of \(stored.text)")
            }
            return value
        }
    }
}

/// A value of an order that can be stored.
private enum PageValue: Codable, Hashable, Sendable {
    /// A link on the path to the value is nil.
    case missing
    case null
    case bool(Bool)
    case int(Int64)
    case float(UInt32)
    case double(UInt64)
    case date(UInt64)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case objectId(String)
    case decimal(UInt64, UInt64)
    case link(UInt32, UInt64)

    init?(_ stored: _StoredValue) {
        switch stored {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(value)
        case .float(let value): self = .float(value.bitPattern)
        case .double(let value): self = .double(value.bitPattern)
        case .date(let value): self = .date(value.timeIntervalSinceReferenceDate.bitPattern)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .uuid(let value): self = .uuid(value)
        case .objectId(let value): self = .objectId(value.stringValue)
        case .decimal(let value): self = .decimal(value.low, value.high)
        case .object(let object as ObjectBase): self = .link(object.row.table, object.row.key)
        default: return nil
        }
    }

    /// The value in the form of the engine, with its bytes in `arena`.
    func engine(_ arena: ValueArena) throws(StrataError) -> EngineValue {
        switch self {
        case .missing: return .missingObject
        case .link(let table, let key): return .link(key, of: table)
        case .objectId(let text) where (try? ObjectId(string: text)) == nil:
            throw StrataError(.invalidInput, "a page is continued with a token that is damaged: \(text) is no ObjectId")
        default: return stored.encoded(arena) ?? .null
        }
    }

    private var stored: _StoredValue {
        switch self {
        case .missing, .null, .link: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .float(let bits): .float(Float(bitPattern: bits))
        case .double(let bits): .double(Double(bitPattern: bits))
        case .date(let bits): .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .uuid(let value): .uuid(value)
        case .objectId(let text): (try? ObjectId(string: text)).map { .objectId($0) } ?? .null
        case .decimal(let low, let high): .decimal(Decimal128(EngineDecimal(low, high)))
        }
    }
}
