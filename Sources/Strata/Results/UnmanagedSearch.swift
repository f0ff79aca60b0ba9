// SPDX-License-Identifier: MIT
// UnmanagedSearch.swift -- conditions on single objects and values, also on those that are in no realm.

import Foundation

extension ObjectBase {
    /// Whether the object meets a condition; one that was deleted meets none.
    func meets(_ condition: any ConditionSource) -> Bool {
        if _mode == .unmanaged { return UnmanagedSearch().meets(self, condition) }
        guard let managed, !isInvalidated else { return false }
        return LiveQuery(managed, .one(row.key)).filtered(condition).count > 0
    }
}

/// Only the engine tests conditions. So what is in no realm is copied into a session in memory, which is thrown away
/// with this.
final class UnmanagedSearch {
    private var session: Session?

    /// The position of the first element of an unmanaged list that meets a condition, or nil.
    func first(of collection: any PersistedCollection, meeting condition: any ConditionSource) -> Int? {
        guard case .elements(let elements) = collection.contents else { return nil }
        let type = type(of: collection).elementType._shape.type
        if type != .object { return first(of: elements, type, meeting: condition) }
        return elements.firstIndex { element in
            if case .object(let object as ObjectBase) = element { meets(object, condition) } else { false }
        }
    }

    /// The position of the first value that meets a condition, or nil.
    private func first(
        of values: [_StoredValue], _ type: PropertyType, meeting condition: any ConditionSource
    ) -> Int? {
        let holder = SearchedValues()
        let list = holder.list(of: type)
        guard list.fill(.elements(values)) else { misuse("values of \(type) cannot be searched") }
        var first: Int?
        withCopy(of: holder) { copy in
            if let live = copy.list(of: type).live { first = ValueQuery(live).first(meeting: condition) }
        }
        return first
    }

    /// Whether an object meets a condition.
    fileprivate func meets(_ object: ObjectBase, _ condition: any ConditionSource) -> Bool {
        if object._mode != .unmanaged { return object.meets(condition) }
        var isMet = false
        withCopy(of: object) { isMet = $0.meets(condition) }
        return isMet
    }

    /// Shows a closure a live copy of an object, with copies of all that it reaches; they are gone afterwards.
    private func withCopy<Copied: ObjectBase>(of object: Copied, _ body: (Copied) -> Void) {
        do throws(StrataError) {
            let session = try openSession()
            try session.begin(deferred: false)
            defer { session.cancel() }
            let policy: UpdatePolicy = object.layout.primaryKey == nil ? .error : .all
            var builder = ObjectBuilder(copying: session, for: policy)
            let copy = try builder.make(type(of: object), from: object)
            session.record { () throws(StrataError) in
                _ = try ObjectInserter(session, policy, mentioned: builder.mentioned).add(copy)
            }
            if copy._mode == .live, let copy = copy as? Copied { body(copy) }
        } catch {
            misuse("index(matching:) of an unmanaged collection: \(error)")
        }
    }

    private func openSession() throws(StrataError) -> Session {
        if let session { return session }
        let name = "search \(UUID().uuidString)"
        let opened = try Session(
            try EngineStore(.memory(name), readOnly: false),
            ClassLayout.layouts(of: SchemaDiscovery.defaultClasses() + [SearchedValues.self]), version: 0,
            readOnly: false)
        session = opened
        return opened
    }
}

/// Values that are searched, in the list of their type. It is in no realm of a program.
private final class SearchedValues: Object {
    @Persisted private var bools: List<Bool?>
    @Persisted private var integers: List<Int?>
    @Persisted private var floats: List<Float?>
    @Persisted private var doubles: List<Double?>
    @Persisted private var strings: List<String?>
    @Persisted private var datas: List<Data?>
    @Persisted private var dates: List<Date?>
    @Persisted private var uuids: List<UUID?>
    @Persisted private var objectIds: List<ObjectId?>
    @Persisted private var decimals: List<Decimal128?>
    @Persisted private var anything: List<AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    /// The list of a type of values; stops the program for objects.
    func list(of type: PropertyType) -> any PersistedCollection {
        switch type {
        case .bool: bools
        case .int: integers
        case .float: floats
        case .double: doubles
        case .string: strings
        case .data: datas
        case .date: dates
        case .UUID: uuids
        case .objectId: objectIds
        case .decimal128: decimals
        case .any: anything
        case .object, .linkingObjects: misuse("objects are searched one by one")
        }
    }
}
