// SPDX-License-Identifier: MIT
// ConvertedModelsTests.swift -- what `strata convert-models` wrote compiles and stores: the files in `after`.

import Foundation
import RealmSwift
import Testing

@Suite struct ConvertedModelsTests {
    private static let classes: [ObjectBase.Type] = [
        ShopCustomer.self, ShopOrder.self, ShopAddress.self, ShopLine.self, ShopProduct.self, ShopBundle.self,
        JournalEntry.self,
    ]

    private func open(_ name: String = #function) throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: "converted \(name)", objectTypes: Self.classes))
    }

    @Test func schemaIsThatOfBefore() throws {
        let schema = try open().schema
        func names(_ name: String) -> [String]? { schema[name]?.properties.map(\.name) }
        #expect(schema["ShopCustomer"]?.primaryKeyProperty?.name == "id")
        #expect(
            names("ShopCustomer") == [
                "id", "createdAt", "revision", "name", "email", "address", "age", "discount", "note", "orders",
                "nicknames", "tags", "settings",
            ])
        #expect(schema["ShopCustomer"]?.properties.filter(\.isIndexed).map(\.name) == ["id", "name", "email"])
        #expect(names("ShopOrder") == [
            "number", "amount", "weight", "state", "comment", "discountedState", "lines",
        ])
        #expect(schema["ShopOrder"]?.primaryKeyProperty?.name == "number")
        #expect(names("Product") == ["code", "price", "picture", "class"])
        #expect(names("ShopBundle") == ["orders", "title"])
        #expect(names("JournalEntry") == ["text", "mood", "writtenAt", "host"])
    }

    @Test func schemaOfOtherModels() throws {
        let classes: [ObjectBase.Type] = [
            LedgerAccount.self, LedgerEntry.self, LedgerOwner.self, ClinicPatient.self, ClinicDoctor.self,
            ClinicVisit.self, FleetTruck.self, FleetVehicle.self, FleetDriver.self, PlayerTrack.self, PlayerCover.self,
            PlayerList.self, Recipe.self, RecipeIngredient.self, RecipeAuthor.self, RecipeMenu.self, Recipe.Nested.self,
        ]
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "others", objectTypes: classes))
        func properties(_ name: String) -> Set<String> { Set(realm.schema[name]?.properties.map(\.name) ?? []) }
        func indexed(_ name: String) -> Set<String> {
            Set(realm.schema[name]?.properties.filter(\.isIndexed).map(\.name) ?? [])
        }
        #expect(indexed("LedgerAccount") == ["uuid", "number", "revision"])
        #expect(properties("LedgerAccount").isDisjoint(with: ["previous", "overdrawn", "kind", "owners"]))
        #expect(properties("ClinicPatient").isSuperset(of: ["weight", "height", "familyName", "secret"]))
        #expect(properties("ClinicPatient").isDisjoint(with: ["cache", "delegate", "fullName", "index"]))
        #expect(realm.schema["ClinicDoctor"]?.primaryKeyProperty?.name == "licence")
        #expect(indexed("FleetTruck") == ["id", "plate"] && properties("FleetTruck").contains("trailers"))
        #expect(properties("PlayerTrack").isDisjoint(with: ["formatter", "loved", "key", "genre"]))
        #expect(properties("Recipe").isDisjoint(with: ["temporary", "observer"]))
        #expect(properties("RecipeMenu") == ["season", "days", "guests", "title", "subtitle"])
        let menu = RecipeMenu(value: ["days": 3, "guests": 4])
        try realm.write { realm.add(menu) }
        #expect(menu.each == 12 && menu.season == .summer)
    }

    @Test func whatUsesThemRuns() throws {
        let realm = try open()
        let shop = ShopQueries(realm: realm)
        let anna = ShopCustomer(name: "Anna", age: 70)
        let order = ShopOrder(value: ["number": 7, "amount": 2.5])
        order.lines.append(ShopLine(value: ["text": "ink", "pieces": 2]))
        anna.orders.append(order)
        try realm.write {
            realm.add(anna)
            realm.add(ShopCustomer(name: "Zoe", age: 12))
        }
        #expect(shop.adults().map(\.name) == ["Anna"])
        #expect(shop.ages().compactMap { $0 }.sorted() == [12, 70])
        #expect(shop.describe(anna) == "Anna, 70 years")
        #expect(anna.discount == 0.1)
        #expect(anna.total == 2.5)
        try shop.grow(anna)
        #expect(anna.age == 71)
        #expect(anna.note.stringValue == "grown")
        #expect(order.discountedState == .sent)
        #expect(order.customers.first == anna)
        try realm.write { order.pay() }
        #expect(realm.objects(ShopOrder.self).where { $0.state == .paid }.count == 1)
    }

    @Test func observersRunAtEachAssignment() throws {
        let realm = try open()
        let entry = JournalEntry()
        entry.text = "one"
        try realm.write {
            realm.add(entry)
            entry.text = "two"
            entry.mood = .glad
        }
        #expect(entry.changes == 2)
        #expect(entry.summary == "glad: two")
        #expect(ShopAddress().houseNumber == 7)
    }
}
