// SPDX-License-Identifier: MIT
// StrangerTests.swift -- objects of other realms, of other programs, and of other versions of a class.

import Foundation
import Strata
import Testing

private final class Thing: Object {
    @Persisted var number: Int
    @Persisted var list: List<Thing>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Part: EmbeddedObject {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class FirstOwner: Object {
    @Persisted var one: Part?
    @Persisted var many: List<Part>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class SecondOwner: Object {
    @Persisted var one: Part?
    @Persisted var things: List<Thing>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class WideNumber: Object {
    @Persisted var number: Int
    @Persisted var optional: Int?
    @Persisted var level: Int?

    override class func _realmObjectName() -> String? { "Width" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// 1307 cut to eight bits is its second case.
private enum NarrowLevel: Int8, PersistableEnum {
    case low = 1
    case high = 27
}

private final class NarrowNumber: Object {
    @Persisted var number: Int8
    @Persisted var optional: Int16?
    @Persisted var level: NarrowLevel?

    override class func _realmObjectName() -> String? { "Width" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct StrangerTests {
    @Test func `a class whose name another one has in the realm is named with that`() async throws {
        let message = "Strata: NarrowNumber is not in the schema of this realm, which holds WideNumber under the name "
        let asked = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([WideNumber.self]) { realm in print(realm.objects(NarrowNumber.self).count) }
        }
        let advice = #""Width"; use that class, or open the realm with objectTypes that name NarrowNumber"#
        expect(asked, says: message + advice)
        let resolved = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm([WideNumber.self])
            let realm = try temporary.open()
            let wide = try realm.write { realm.create(WideNumber.self, value: ["number": 1]) }
            var configuration = temporary.configuration
            configuration.objectTypes = [NarrowNumber.self]
            let narrow = try Realm(configuration: configuration)
            let reference = ThreadSafeReference(to: try #require(narrow.objects(NarrowNumber.self).first))
            print(wide.number, realm.resolve(reference) == nil)
        }
        expect(resolved, says: message)
    }

    @Test(arguments: [false, true])
    func `results of another realm, or frozen ones, are not deleted`(_ isFrozen: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isFrozen] in
            try withRealm([Thing.self]) { one in
                try withRealm([Thing.self]) { other in
                    for (realm, first) in [(one, 0), (other, 100)] {
                        try realm.write {
                            for number in first..<first + 4 { realm.create(Thing.self, value: ["number": number]) }
                        }
                    }
                    let found = (isFrozen ? one : other).objects(Thing.self).where { $0.number < 2 || $0.number == 101 }
                    try one.write { one.delete(isFrozen ? found.freeze() : found) }
                }
            }
        }
        let why = isFrozen ? "are frozen; delete what thaw() gives" : "belong to another realm; delete them in a write of"
        expect(result, says: "results of Thing \(why)")
    }

    @Test func `deleteAll leaves what objects of unknown classes own and link to`() throws {
        let temporary = try TemporaryRealm([])
        func open(_ types: [ObjectBase.Type]) throws -> Realm {
            try Realm(configuration: Realm.Configuration(fileURL: temporary.url, objectTypes: types))
        }
        let all = try open([FirstOwner.self, SecondOwner.self, Part.self, Thing.self])
        try all.write {
            for number in 0..<3 {
                all.create(FirstOwner.self, value: ["one": ["number": number], "many": [["number": 7], ["number": 8]]])
                all.create(SecondOwner.self, value: ["one": ["number": 9], "things": [["number": 1]]])
            }
        }
        let second = try open([SecondOwner.self, Part.self, Thing.self])
        try second.write { second.deleteAll() }
        #expect(all.refresh() || true)
        let owners = all.objects(FirstOwner.self)
        #expect(owners.map { $0.one?.number } == [0, 1, 2] && owners.allSatisfy { $0.many.map(\.number) == [7, 8] })
        #expect(all.objects(SecondOwner.self).isEmpty && all.objects(Thing.self).isEmpty)
        #expect(all.dynamicObjects("Part").count == 9)
        let things = try open([Thing.self])
        try all.write { all.create(SecondOwner.self, value: ["things": [["number": 1], ["number": 2]]]) }
        _ = things.refresh()
        try things.write { things.deleteAll() }
        _ = all.refresh()
        #expect(all.objects(SecondOwner.self)[0].things.isEmpty)
        try all.write { all.deleteAll() }
        #expect(all.isEmpty && all.dynamicObjects("Part").isEmpty)
        try all.verify()
    }

    private static func fillWide(_ url: URL) throws {
        try autoreleasepool {
            let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [WideNumber.self]))
            try realm.write { realm.create(WideNumber.self, value: ["number": 1307, "optional": 40_000, "level": 1307]) }
        }
    }

    private static func openNarrow(_ url: URL) throws -> Realm {
        try Realm(configuration: .init(fileURL: url, objectTypes: [NarrowNumber.self]))
    }

    @Test func `an integer that its type cannot hold is not cut`() async throws {
        let temporary = try TemporaryRealm([])
        try Self.fillWide(temporary.url)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            [path = temporary.url.path as String] in
            let realm = try Self.openNarrow(URL(fileURLWithPath: path)), narrow = realm.objects(NarrowNumber.self)[0]
            print(narrow.number)
        }
        expect(result, says: "NarrowNumber.number holds 1307, which is no Int8; declare it as Int")
        let realm = try Self.openNarrow(temporary.url), narrow = realm.objects(NarrowNumber.self)[0]
        #expect(narrow["number"] as? Int == 1307 && narrow["optional"] as? Int == 40_000 && narrow.level == nil)
        try realm.write { (narrow["number"], narrow["optional"]) = (-128, nil) }
        #expect(narrow.number == -128 && narrow.optional == nil && narrow["number"] as? Int8 == -128)
    }
}
