// SPDX-License-Identifier: MIT
// Realm+Objects.swift -- finding, adding, creating and deleting objects.

extension Realm {
    // MARK: Finding

    /// All objects of a class. Objects of its subclasses are not included.
    public func objects<Element: Object>(_ type: Element.Type) -> Results<Element> {
        session.checkThread()
        return Results(LiveQuery(session.classes.of(type)))
    }

    /// The object with a primary key, or nil.
    ///
    /// Stops the program if the class has no primary key, or if the key is of the wrong type.
    public func object<Element: Object, Key>(ofType type: Element.Type, forPrimaryKey key: Key) -> Element? {
        session.checkThread()
        guard let object = find(session.classes.of(type), key) else { return nil }
        return unsafeDowncast(object, to: Element.self)  // the class of `type` makes instances of it
    }

    /// The object of a class with a primary key, or nil.
    func find<Key>(_ managed: ManagedClass, _ key: Key) -> ObjectBase? {
        guard let index = managed.layout.primaryKey else {
            misuse("\(managed.name) has no primary key; declare one with @Persisted(primaryKey: true)")
        }
        let slot = managed.layout.slots[index]
        session.arena.reset()
        guard let primary = Self.stored(key, slot)?.encoded(session.arena) else {
            misuse(
                "\(managed.name).\(slot.property.name) is of type \(slot.property.type), so \(key) of type "
                    + "\(Key.self) is no primary key of \(managed.name)")
        }
        let found = session.read("finding \(managed.name)") { () throws(StrataError) in
            try session.view.find(in: managed.table, primary: primary)
        }
        guard let found else { return nil }
        return managed.makeObject(found)
    }

    /// A primary key in its general form. Fast for the common types.
    private static func stored<Key>(_ key: Key, _ slot: ClassLayout.Slot) -> _StoredValue? {
        // The types are compared because a cast takes ten times as long. If they are the same, so are the bits.
        if slot.property.type == .int, Key.self == Int.self { return .int(Int64(unsafeBitCast(key, to: Int.self))) }
        if slot.property.type == .string, Key.self == String.self {
            return .string(unsafeBitCast(key, to: String.self))
        }
        return slot.access._type._accepted(key)
    }

    // MARK: Adding

    /// Adds an unmanaged object and all that it reaches. The object itself becomes live.
    ///
    /// An object that is in this realm already is not changed. The write fails if another object has the primary key
    /// and `update` is `.error`. Stops the program outside of a write, for an object of another realm, for a deleted
    /// one, and if `update` is not `.error` for a class without primary key.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        session.checkThread()
        session.requireWriting { "\(type(of: object)) cannot be added" }
        requirePrimaryKey(type(of: object), update)
        session.record { () throws(StrataError) in
            _ = try ObjectInserter(session, update).add(object)
        }
    }

    /// Adds all objects of a sequence.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Element: Object {
        for object in objects { add(object, update: update) }
    }

    // MARK: Creating

    /// Creates an object from values.
    ///
    /// - Parameters:
    ///   - type: the class.
    ///   - value: a dictionary by property names, an array in the order of the properties, or an object, which is
    ///     copied. Properties that are not mentioned get their defaults, or stay unchanged if the object exists;
    ///     names that are no properties are ignored.
    ///   - update: what to do if an object with the primary key exists.
    /// - Returns: the live object. If the values do not fit, the write fails, and another object stands in for it until
    ///   the write is rolled back.
    @discardableResult
    public func create<Element: Object>(
        _ type: Element.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> Element {
        session.checkThread()
        session.requireWriting { "\(type) cannot be created" }
        return unsafeDowncast(make(type, value, update), to: Element.self)  // `make` makes instances of `type`
    }

    /// Creates an object of a class from values.
    func make(_ type: Object.Type, _ value: Any, _ update: UpdatePolicy) -> Object {
        requirePrimaryKey(type, update)
        if update != .error, let object = UntypedValue.object(value) as? Object, object._session === session,
            object._mode == .live, object.row.table == session.classes.of(type).table
        {
            if Swift.type(of: object) == type { return object }
            let managed = session.classes.of(type)  // makes instances of `type`, which is a class of `Object`
            return unsafeDowncast(managed.makeObject(object.row.key), to: Object.self)
        }
        var object: Object?
        session.record { () throws(StrataError) in
            var builder = ObjectBuilder(copying: session, for: update)
            let made = try builder.make(type, from: value)
            _ = try ObjectInserter(session, update, mentioned: builder.mentioned).add(made)
            object = unsafeDowncast(made, to: Object.self)
        }
        return object ?? session.standIn(for: type).map { unsafeDowncast($0, to: Object.self) } ?? type.init()
    }

    private func requirePrimaryKey(_ type: Object.Type, _ update: UpdatePolicy) {
        if update != .error, session.classes.of(type).layout.primaryKey == nil {
            misuse("\(type) has no primary key, so update: .\(update) cannot find the object to change")
        }
    }

    // MARK: Deleting

    /// Deletes an object. Links to it become nil, and it leaves all lists. The objects that it links to stay.
    ///
    /// Stops the program outside of a write, and for an object that is not of this realm.
    public func delete(_ object: ObjectBase) { session.delete(object) }

    /// Deletes all objects of a sequence.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        for object in Array(objects) { session.delete(object) }
    }

    /// Deletes the objects of a result.
    public func delete<Element: Object>(_ objects: Results<Element>) {
        session.checkThread()
        session.requireWriting { "\(Element.self) cannot be deleted" }
        let owner = objects.query.session
        if owner !== session {
            let why = owner.isFrozen
                ? "are frozen; delete what thaw() gives" : "belong to another realm; delete them in a write of that one"
            misuse("results of \(Element.self) \(why)")
        }
        let keys = objects.query.currentKeys()
        session.delete(table: objects.query.managed.table, keys: (0..<keys.count).lazy.map { keys[$0] })
    }

    /// Deletes all objects of the classes of this realm. Objects of classes that it does not know stay.
    public func deleteAll() { session.deleteAll() }
}

extension ObjectBase {
    /// The realm of the object; nil if it is unmanaged or was deleted by this realm. An object of a write that was
    /// cancelled, or that somebody else has deleted, keeps it; that tells ``isInvalidated``.
    public final var realm: Realm? {
        guard _mode == .live, let session = _session, let configuration = session.configuration as? Realm.Configuration
        else { return nil }
        return Realm(session, configuration)
    }
}
