// SPDX-License-Identifier: MIT
// RandomMigrationModels.swift -- versions of a few classes, each of which random migrations may turn into any other.
//
// `uid` numbers the objects of a class; no migration changes it.

import Foundation
import Strata

/// Plain objects that link to each other.
enum ParcelsA {
    final class Parcel: Object {
        @Persisted var uid: Int
        @Persisted var code: Int
        @Persisted var weight: Int
        @Persisted var note: String
        @Persisted var value: Double?
        @Persisted var sizes: List<Int>
        @Persisted var words: MutableSet<String>
        @Persisted var counts: Map<String, Int>
        @Persisted var tag: Tag?
        @Persisted var tags: List<Tag>
        @Persisted var any: AnyRealmValue
        @Persisted var route: Route?

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: Object {
        @Persisted var uid: Int
        @Persisted var text: String
        @Persisted var number: Int
        @Persisted var parcel: Parcel?

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: Object {
        @Persisted var uid: Int
        @Persisted var name: String
        @Persisted var parcels: List<Parcel>
        @Persisted var tag: Tag?
        @Persisted var stops: List<Tag>

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Tag.self, Route.self]
}

/// Tags are embedded, and have stamps; most is Optional, and parcels have keys of text.
enum ParcelsB {
    final class Parcel: Object {
        @Persisted var uid: Int
        @Persisted(primaryKey: true) var code: String
        @Persisted var weight: Int?
        @Persisted var note: String?
        @Persisted var value: Double
        @Persisted var sizes: List<Int?>
        @Persisted var words: MutableSet<String?>
        @Persisted var counts: Map<String, Int?>
        @Persisted var tag: Tag?
        @Persisted var tags: List<Tag>
        @Persisted var any: AnyRealmValue
        @Persisted var route: Route?

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var text: String
        @Persisted var number: Int?
        @Persisted var stamp: Stamp?

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Stamp: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var price: Double

        override class func _realmObjectName() -> String? { "Stamp" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: Object {
        @Persisted(primaryKey: true) var uid: Int
        @Persisted var name: String?
        @Persisted var parcels: MutableSet<Parcel>

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Tag.self, Stamp.self, Route.self]
}

/// No tags and no routes; what linked to them is text.
enum ParcelsC {
    final class Parcel: Object {
        @Persisted var uid: Int
        @Persisted(primaryKey: true) var code: Int
        @Persisted var weight: Double
        @Persisted var note: Data
        @Persisted var value: Decimal128
        @Persisted var tag: String
        @Persisted var tags: List<String>
        @Persisted var stamp: Stamp?
        @Persisted var stamps: List<Stamp>
        @Persisted var stampMap: Map<String, Stamp?>
        @Persisted var any: List<AnyRealmValue>
        @Persisted var route: Int

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Stamp: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var price: Int

        override class func _realmObjectName() -> String? { "Stamp" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Stamp.self]
}

/// Tags are embedded, also in maps; stamps are objects of their own.
enum ParcelsD {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var uid: Int
        @Persisted var weight: Int
        @Persisted var text: String
        @Persisted var value: Double?
        @Persisted var tag: Tag?
        @Persisted var tags: Map<String, Tag?>
        @Persisted var parts: List<Tag>
        @Persisted var any: AnyRealmValue
        @Persisted var stamp: Stamp?
        @Persisted var stamps: List<Stamp>
        @Persisted var route: Route?

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted(indexed: true) var text: String
        @Persisted var stamps: List<Stamp>

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Stamp: Object {
        @Persisted var uid: Int
        @Persisted var price: Double

        override class func _realmObjectName() -> String? { "Stamp" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: Object {
        @Persisted var uid: Int
        @Persisted(indexed: true) var name: String
        @Persisted var owner: Parcel?
        @Persisted var any: AnyRealmValue

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Tag.self, Stamp.self, Route.self]
}

/// Parcels are called bundles, and all that links to them links to these.
enum ParcelsE {
    final class Bundle: Object {
        @Persisted var uid: Int
        @Persisted var code: String
        @Persisted(indexed: true) var note: String
        @Persisted var tag: Tag?
        @Persisted var tags: List<Tag>
        @Persisted var stamp: Stamp?

        override class func _realmObjectName() -> String? { "Bundle" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: Object {
        @Persisted var uid: Int
        @Persisted var text: String
        @Persisted var parcel: Bundle?
        @Persisted var number: Int

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Stamp: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var price: Double

        override class func _realmObjectName() -> String? { "Stamp" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: Object {
        @Persisted var uid: Int
        @Persisted var name: String
        @Persisted var parcels: List<Bundle>
        @Persisted var tag: Tag?

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Bundle.self, Tag.self, Stamp.self, Route.self]
}

/// Most has another type, or is another kind of collection.
enum ParcelsF {
    final class Parcel: Object {
        @Persisted(indexed: true) var uid: Int
        @Persisted var weight: Bool
        @Persisted var note: Date
        @Persisted var value: Float
        @Persisted var sizes: MutableSet<Int>
        @Persisted var words: List<String>
        @Persisted var counts: Map<String, String>
        @Persisted var tag: Tag?
        @Persisted var tags: List<Tag>
        @Persisted var any: Map<String, AnyRealmValue>
        @Persisted var moment: Date?
        @Persisted var serial: UUID
        @Persisted var mark: ObjectId

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: Object {
        @Persisted var uid: Int
        @Persisted var text: String?
        @Persisted var number: Int
        @Persisted var parcel: Parcel?

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: Object {
        @Persisted var uid: Int
        @Persisted var name: String
        @Persisted var tag: Tag?
        @Persisted var stops: List<Tag>

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Tag.self, Route.self]
}

/// Routes are embedded in parcels, and tags in routes.
enum ParcelsG {
    final class Parcel: Object {
        @Persisted(indexed: true) var uid: Int
        @Persisted var code: String
        @Persisted var weight: Int
        @Persisted var tag: Tag?
        @Persisted var routes: List<Route>
        @Persisted var route: Route?
        @Persisted var any: AnyRealmValue

        override class func _realmObjectName() -> String? { "Parcel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Tag: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var label: String

        override class func _realmObjectName() -> String? { "Tag" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    final class Route: EmbeddedObject {
        @Persisted var uid: Int
        @Persisted var name: String
        @Persisted var tag: Tag?
        @Persisted var stops: List<Tag>

        override class func _realmObjectName() -> String? { "Route" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Tag.self, Route.self]
}
