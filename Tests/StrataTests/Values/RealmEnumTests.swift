// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

enum Size: Int, RealmEnum { case small = 1, large }
enum Flag: String, RealmEnum { case none = "", some }
enum Colour: String, RealmEnum { case red }
/// Both styles at once, as programs have it that were converted step by step.
enum Ripeness: Int8, RealmEnum, PersistableEnum { case green = 2, ripe }

class Fruit: Object {
    @Persisted(primaryKey: true) var kind: Flag
    @Persisted var size = Size.large
    @Persisted(indexed: true) var other: Size?
    @Persisted var ripeness: Ripeness
    @Persisted var sizes: List<Size>
    @Persisted var sizesOrNil: List<Size?>
    @Persisted var found: MutableSet<Size>
    @Persisted var named: Map<String, Size>
    @Persisted var unsaid: Size
    @Persisted var colour: Colour?
}

class OldFruit: Object {
    let size = RealmOptional<Size>()
    let ripeness = RealmProperty<Ripeness?>()
    let sizes = List<Size>()
}

@Suite struct RealmEnumTests {
    @Test func `S18 S21: enums of the older style are properties marked with @Persisted, too`() throws {
        try withRealm([Fruit.self]) { realm in
            let schema = try #require(realm.schema["Fruit"])
            #expect(schema["kind"]?.type == .string && schema["kind"]?.isPrimaryKey == true)
            #expect(schema["size"]?.type == .int && schema["sizes"]?.isArray == true)
            #expect(schema["other"]?.isIndexed == true)
            let fruit = Fruit()
            #expect(fruit.kind == .none && fruit.size == .large && fruit.other == nil && fruit.ripeness == .green)
            #expect(fruit.unsaid == .small && fruit.colour == nil)
            fruit.sizes.append(objectsIn: [.small, .large])
            fruit.sizesOrNil.append(nil)
            fruit.found.insert(.large)
            fruit.named["a"] = .small
            try realm.write { realm.add(fruit) }
            #expect(fruit.size == .large && Array(fruit.sizes) == [.small, .large] && fruit.named["a"] == .small)
            try realm.write {
                fruit.other = .small
                fruit.ripeness = .ripe
                fruit["size"] = 1
                let sizes: [Any] = [2, Size.small]
                realm.create(Fruit.self, value: ["kind": "some", "size": Size.small, "other": 2, "sizes": sizes])
            }
            let other = try #require(realm.object(ofType: Fruit.self, forPrimaryKey: Flag.some))
            #expect(other.size == .small && other.other == .large && Array(other.sizes) == [.large, .small])
            #expect(fruit.size == .small && fruit["ripeness"] as? Int8 == 3 && fruit.found.contains(.large))
            let all = realm.objects(Fruit.self)
            #expect(all.where { $0.other == .small }.count == 1 && all.where { $0.size.rawValue < 2 }.count == 2)
            #expect(all.where { $0.other.rawValue == 2 && $0.kind == .some }.count == 1)
            #expect(all.filter("size == %@ AND ripeness == %@", Size.small, Ripeness.ripe).count == 1)
            #expect(all.sorted(by: \.other).map(\.other) == [.small, .large])
        }
    }

    @Test func `enums of both styles are values of boxes`() throws {
        try withRealm([OldFruit.self]) { realm in
            let fruit = OldFruit()
            fruit.size.value = .large
            try realm.write { realm.add(fruit) }
            try realm.write { fruit.ripeness.value = .ripe }
            #expect(fruit.size.value == .large && realm.objects(OldFruit.self).first?.ripeness.value == .ripe)
            #expect(realm.schema["OldFruit"]?["ripeness"]?.type == .int && fruit.sizes.isEmpty)
        }
    }

    @Test func `a default that is no case stops the program, and says what to declare`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Colourless: Object { @Persisted var colour: Colour }
            _ = Colourless().colour
        }
        expect(result, says: "Colour does not say which case is its default; conform it to PersistableEnum")
    }
}
