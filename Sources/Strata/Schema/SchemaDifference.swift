// SPDX-License-Identifier: MIT
// SchemaDifference.swift -- what separates a file from the classes of a program, and what it costs.

import Foundation

/// One difference between a file and the classes of a program; see ``Realm/schemaDifferences(for:)``.
public struct SchemaDifference: Sendable, Hashable, Codable {
    /// What is different.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The file does not have the class.
        case classAdded
        /// Objects of the class become embedded in others.
        case classBecameEmbedded
        /// Objects of the class are no longer embedded.
        case classIsNoLongerEmbedded
        /// The file does not have the property.
        case propertyAdded
        /// The class no longer has the property.
        case propertyRemoved
        /// The property has another type, or it or its elements may no longer be nil.
        case typeChanged
        /// The property, or the elements of a collection, may be nil from now on.
        case becameOptional
        /// The property is the primary key from now on.
        case becamePrimaryKey
        /// The property is no longer the primary key.
        case isNoLongerPrimaryKey
        /// The property, or several of them together, have an index from now on.
        case indexAdded
        /// The property, or several of them together, no longer have an index.
        case indexRemoved
    }

    /// What a difference costs.
    public enum Mark: String, Sendable, Hashable, Codable, CaseIterable {
        /// Every value stays, and no object is written again.
        case free
        /// Values go, unless the migration block copies them.
        case losesData
        /// The file cannot be opened with the classes until the migration block has put something right: keys that are
        /// not unique, or objects to be embedded that have no owner or several.
        case needsCode
        /// Every value stays, and some objects are written again.
        case rewritesRows

        /// Whether no value can go, whatever the migration block does.
        var keepsValues: Bool { self == .free || self == .rewritesRows }
    }

    public let kind: Kind
    public let mark: Mark
    /// The class.
    public let className: String
    /// The property as the class names it, or as the file does if the class no longer has it; of an index, the names of
    /// all its properties. Nil for a class.
    public let property: String?
    /// The type in the file, in words.
    public let stored: String?
    /// The type in the class, in words.
    public let declared: String?
    /// For a property that was removed: one that was added, and may be the same under another name.
    public let renamedTo: String?
    /// The objects that the file has of the class.
    public let objects: Int

    /// Whether no value goes, and a declaration of the classes brings the file to them. That leaves other types to
    /// migrations, also those of classes without objects, which have nothing to lose.
    var isSettledByDeclaration: Bool { mark.keepsValues && kind != .typeChanged }

    /// Whether the file has all that the class asks for.
    var isMore: Bool { kind == .propertyRemoved || kind == .indexAdded || kind == .indexRemoved }

    /// Whether the file can be opened without a higher schema version.
    public var isAccepted: Bool { kind == .classAdded || kind == .indexAdded || kind == .indexRemoved }
}

extension SchemaDifference: CustomStringConvertible {
    /// A line for people: what is different, what it costs, and what to write in the migration block.
    public var description: String { summary + cost }

    /// What is different.
    var summary: String { "\(name) \(what)" }

    private var name: String { property.map { "\(className).\($0)" } ?? className }

    private var what: String {
        switch kind {
        case .classAdded: "is a new class"
        case .classBecameEmbedded: "became embedded"
        case .classIsNoLongerEmbedded: "is no longer embedded"
        case .propertyAdded: "was added (\(declared ?? ""))"
        case .propertyRemoved: "was removed (\(stored ?? ""))"
        case .typeChanged: "changed from \(stored ?? "") to \(declared ?? "")"
        case .becameOptional:
            (declared ?? "").contains(" of ") ? "may have elements that are nil from now on" : "may be nil from now on"
        case .becamePrimaryKey: "became the primary key"
        case .isNoLongerPrimaryKey: "is no longer the primary key"
        case .indexAdded: "gets an index"
        case .indexRemoved: "loses its index"
        }
    }

    private var cost: String {
        switch (mark, kind) {
        case (.free, _): ""
        case (.rewritesRows, _): "; its values in \(count) stay, and some of them are written again"
        case (.losesData, .propertyRemoved):
            "; its values in \(count) go with it" + (rename ?? ". To keep them under another name, call "
                + "migration.renameProperty(onType: \"\(className)\", from: \"\(property ?? "")\", to: …) in the "
                + "migrationBlock, or let propertiesMapping() return the old name for the new property")
        case (.losesData, _):
            "; its values in \(count) become zero, empty or nil. To keep them, copy them in the migrationBlock: \(loop)"
        case (.needsCode, .classBecameEmbedded):
            "; among its \(count) there is one that no object or more than one links to. Delete it, or give it one "
                + "owner, in the migrationBlock"
        case (.needsCode, _):
            "; its values in \(count) are not unique. Give each another one in the migrationBlock: \(loop)"
        }
    }

    private var loop: String {
        "migration.enumerateObjects(ofType: \"\(className)\") { old, new in new?[\"\(property ?? "")\"] = … }"
    }

    private var count: String { objects == 1 ? "1 object" : "\(objects) objects" }

    private var rename: String? {
        renamedTo.map {
            ". If it is \(className).\($0) now, call migration.renameProperty(onType: \"\(className)\", from: "
                + "\"\(property ?? "")\", to: \"\($0)\") in the migrationBlock"
        }
    }
}

extension SchemaDifference {
    /// A difference as the engine found it, with the names of the classes.
    init?(_ found: EngineDifference, _ schema: Schema) {
        guard let kind = Kind(found.kind) else { return nil }
        let objectSchema = schema[found.table]
        func name(_ column: String) -> String {
            objectSchema?.properties.first { $0.columnName == column }?.name ?? column
        }
        self.kind = kind
        mark = Mark(found.mark)
        className = found.table
        property = found.column.map { columns in
            kind == .indexAdded || kind == .indexRemoved
                ? columns.components(separatedBy: ", ").map(name).joined(separator: ", ") : name(columns)
        }
        stored = found.stored
        declared = found.declared
        renamedTo = found.renamed.map(name)
        objects = Int(found.objects)
    }

    /// The differences between a file and a schema.
    static func find(_ view: EngineView, _ schema: Schema) throws(StrataError) -> [SchemaDifference] {
        try view.differences(from: schema.declaration).compactMap { SchemaDifference($0, schema) }
    }

    /// All differences, each in a line.
    static func table(_ differences: [SchemaDifference]) -> String {
        differences.map { "\n- \($0)" }.joined()
    }
}
