// SPDX-License-Identifier: MIT
// Migration.swift -- what a migration block is given.

/// Brings the objects of a file to another schema version. It is called once, inside of one write, when a file with a
/// lower version is opened.
///
/// ```swift
/// var configuration = Realm.Configuration.defaultConfiguration
/// configuration.schemaVersion = 2
/// configuration.migrationBlock = { migration, oldSchemaVersion in
///     if oldSchemaVersion < 2 {
///         migration.enumerateObjects(ofType: "Person") { old, new in
///             new?["fullName"] = "\(old?["firstName"] ?? "") \(old?["lastName"] ?? "")"
///         }
///     }
/// }
/// ```
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// An object in a migration, whose properties are used by their names: `object["age"]` or `object.age`.
public typealias MigrationObject = DynamicObject

/// Is called with an object as the file had it, which can only be read, and with the same object as it will be.
public typealias MigrationObjectEnumerateBlock = (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// A migration of a file, of use only inside of a ``MigrationBlock``.
///
/// The new object has all properties of its class. Those that the file had with the same type have their values; the
/// others are zero, empty or nil. After the block, the properties that the class no longer has are gone. Nobody else
/// sees anything of it before it is done; if it fails, or if the program ends meanwhile, the file stays as it was.
public struct Migration {
    let work: MigrationWork

    /// The classes as the file has them. Properties have the names that they have in the file.
    public var oldSchema: Schema { work.oldSchema }

    /// The classes of the program.
    public var newSchema: Schema { work.newSession.schema }

    /// Calls a block with each object of a class that the file had, and with the same object as it will be. Objects
    /// that were deleted in this migration are left out. If the program no longer has the class, the new object is nil;
    /// if the file did not have it, the old ones are nil, and the new ones those that this migration created. A class
    /// that neither of them has is passed over.
    ///
    /// It ends early if the migration has failed, or if the task that opens the realm is cancelled.
    public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
        work.enumerate(typeName, block)
    }

    /// Creates an object of a class of the program, from a dictionary, an array or an object; what is not mentioned has
    /// the defaults of the class.
    ///
    /// Stops the program if it has no such class.
    @discardableResult
    public func create(_ typeName: String, value: Any = [String: Any]()) -> MigrationObject {
        work.create(typeName, value)
    }

    /// Deletes an object.
    public func delete(_ object: MigrationObject) { work.delete(object) }

    /// Deletes all objects of a class, and, if the program no longer has it, the class itself.
    ///
    /// - Returns: whether the file has the class.
    @discardableResult
    public func deleteData(forType typeName: String) -> Bool { work.deleteData(typeName) }

    /// Lets a property of the program have the values of one that it no longer has.
    ///
    /// Stops the program if there is no such class or property, or if their types differ.
    public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
        work.rename(typeName, oldName, newName)
    }

    /// Lets the migration fail: opening the realm throws the error, one that is no `Realm.Error` as the text of a
    /// `Realm.Error.fail`, and the file stays as it was. What follows in the block changes nothing any more.
    public func fail(_ error: any Error) { work.fail(error) }

    /// Names the migration in the history of the file. See ``Realm/schemaHistory(for:)``.
    public func setName(_ name: String) { work.name = name }
}

@available(*, unavailable, message: "a migration is of use only inside of its block")
extension Migration: Sendable {}

/// How far a migration is. See ``Realm/Configuration/migrationProgress``.
public struct MigrationProgress: Sendable, Hashable {
    /// The class whose objects are enumerated.
    public let className: String
    /// How many of its objects the block has been called with.
    public let done: Int
    /// How many the file has of it.
    public let total: Int
}
