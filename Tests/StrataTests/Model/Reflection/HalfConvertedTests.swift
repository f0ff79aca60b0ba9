// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

// Classes in which `@objc dynamic` became `@Persisted`, and nothing else was changed.

class HalfShelf: Object {
    @Persisted var name: String
    let dogs = List<Dog>()
    let tags = MutableSet<String?>()
    let sizes = Map<String, Int?>()
    let age = RealmProperty<Int?>()
    let anything = RealmProperty<AnyRealmValue>()
    let score = RealmOptional<Double>()
    let owners = LinkingObjects(fromType: HalfOwner.self, property: "shelf")

    var note = "as in Realm, not stored"
    lazy var sorted = List<Int>()
    let query: Results<Dog>? = nil
    var labels: [String] { [name] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class HalfOwner: Object {
    @Persisted var shelf: HalfShelf?
    let kept = List<Int>()
    override class func ignoredProperties() -> [String] { ["kept"] }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BelowHalfShelf: HalfShelf {
    let own = List<Int>()
}

class HalfPart: EmbeddedObject {
    @Persisted var name: String
    let sizes = List<Int>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct HalfConvertedTests {
    private func message(_ types: [ObjectBase.Type]) -> String? {
        let configuration = Realm.Configuration(inMemoryIdentifier: "half \(UUID())", objectTypes: types)
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .invalidInput)
        return error?.message
    }

    private func line(_ property: String, _ declaration: String) -> String {
        "property \(property) is not marked with @Persisted, as others of the class are, and would not be stored; "
            + "declare it as `\(declaration)`, or name it in ignoredProperties()"
    }

    @Test(
        """
        Differs from Realm: a class that marks some of its properties with @Persisted, and leaves lists, linking \
        objects or RealmProperty without a mark, is refused when a realm is opened; Realm does not store these. After \
        `@objc dynamic` was replaced by `@Persisted` everywhere, data would be lost and nothing would say so. \
        ignoredProperties() tells that it is meant.
        """)
    func marksThatLack() {
        let types: [ObjectBase.Type] = [HalfShelf.self, HalfOwner.self, HalfPart.self, Dog.self, Person.self]
        let expected = [
            line("HalfPart.sizes", "@Persisted var sizes: List<Int>"),
            line("HalfShelf.dogs", "@Persisted var dogs: List<Dog>"),
            line("HalfShelf.tags", "@Persisted var tags: MutableSet<String?>"),
            line("HalfShelf.sizes", "@Persisted var sizes: Map<String, Int?>"),
            line("HalfShelf.age", "@Persisted var age: Int?"),
            line("HalfShelf.anything", "@Persisted var anything: AnyRealmValue"),
            line("HalfShelf.score", "@Persisted var score: Double?"),
            line("HalfShelf.owners", "@Persisted(originProperty: \"shelf\") var owners: LinkingObjects<HalfOwner>"),
        ]
        #expect(
            message(types) == "The schema is invalid: 8 mistakes:" + expected.map { "\n- \($0)" }.joined() + ".")
    }

    @Test func `a mistake that classes inherit is told once, with the class that must be changed`() {
        let both = message([BelowHalfShelf.self, HalfShelf.self, HalfOwner.self, Dog.self, Person.self])
        #expect(both?.hasPrefix("The schema is invalid: 7 mistakes:\n- property HalfShelf.dogs") == true)
        class Base: Object {
            @Persisted var name: String
            let list = List<Int>()
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        class Derived: Base { let own = List<Int>() }
        let inherited = message([Derived.self])
        #expect(inherited == "The schema is invalid: " + line("Base.list", "@Persisted var list: List<Int>") + ".")
    }

    @Test func `S5 S13: what ignoredProperties() names is not stored, and each class of a hierarchy chooses its style`()
        throws
    {
        class KeepingLists: Object {
            let list = List<Int>()
            let left = List<Int>()
            override class func ignoredProperties() -> [String] { ["left", "marked", "no property"] }
        }
        class MarkingOthers: KeepingLists {
            @Persisted var name: String
            var note = ""
        }
        class IgnoringSome: MarkingOthers {
            @Persisted var more: Int
            let rest = List<Int>()
            lazy var late = List<Int>()
            override class func ignoredProperties() -> [String] { super.ignoredProperties() + ["rest"] }
        }
        try withRealm([KeepingLists.self, MarkingOthers.self, IgnoringSome.self]) { realm in
            #expect(realm.schema["KeepingLists"]?.properties.map(\.name) == ["list"])
            #expect(realm.schema["MarkingOthers"]?.properties.map(\.name) == ["list", "name"])
            #expect(realm.schema["IgnoringSome"]?.properties.map(\.name) == ["list", "name", "more"])
            let object = IgnoringSome()
            object.list.append(1)
            object.rest.append(2)
            try realm.write { realm.add(object) }
            #expect(realm.objects(IgnoringSome.self).first?.list.first == 1)
            #expect(realm.objects(IgnoringSome.self).first?.rest.isEmpty == true && object.rest.first == 2)
        }
    }

    @Test func `a half-converted class can be used as long as nothing of it is stored`() {
        let owner = HalfOwner(), part = HalfPart(value: ["name": "a"])
        part.sizes.append(3)
        #expect(owner.shelf == nil && part.name == "a" && Array(part.sizes) == [3])
    }
}
