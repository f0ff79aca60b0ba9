// SPDX-License-Identifier: MIT
// Realm+Dynamic.swift -- objects of classes that are named by strings.

extension Realm {
    /// All objects of a class, by its name. The program need not know the class, if the file has it.
    ///
    /// Stops the program if the file has no such class.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        session.checkThread()
        return Results(LiveQuery(session.classes.dynamic(typeName)))
    }

    /// The object of a named class with a primary key, or nil.
    ///
    /// Stops the program if there is no such class, if it has no primary key, or if the key is of the wrong type.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        session.checkThread()
        // A class that the session finds by its name makes dynamic objects.
        return find(session.classes.dynamic(typeName), key).map { unsafeDowncast($0, to: DynamicObject.self) }
    }

    /// Creates an object of a class of the program, by its name. See `create(_:value:update:)`.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        session.checkThread()
        session.requireWriting { "\(typeName) cannot be created" }
        let managed = session.classes.dynamic(typeName)
        guard let known = session.classes.known(typeName), let type = known.layout.type as? Object.Type else {
            misuse(
                managed.isEmbedded
                    ? "\(typeName) is embedded and cannot be created by itself; "
                        + "assign it to a property of another object"
                    : "\(typeName) is no class of the program, so no objects of it can be created")
        }
        let object = make(type, value, update)
        guard object._mode == .live else { return DynamicObject() }
        // `managed` was found by its name, so that it makes dynamic objects.
        return unsafeDowncast(managed.makeObject(object.row.key), to: DynamicObject.self)
    }
}
