// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct IdentityTests {
    @Test func `S28: an unmanaged object has no realm, is not invalid and nothing links to it`() {
        let dog = Dog("Rex")
        #expect(dog.realm == nil && !dog.isInvalidated && !dog.isFrozen && dog.packs.isEmpty)
    }

    @Test func `S29 S30 S31: identity and equality`() throws {
        try withRealm { realm in
            let one = Person(1), two = Person(1)
            #expect(one != two && !one.isSameObject(as: two) && one.isSameObject(as: one) && one == one)
            #expect(!one.isSameObject(as: nil))
            let dog = Dog("Rex")
            one.dog = dog
            try realm.write { realm.add(one) }
            let again = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(one == again && one !== again && one.hashValue == again.hashValue && one.isSameObject(as: again))
            #expect(one != two && two != one)
            let other = try #require(realm.objects(Dog.self).first)
            #expect(other != dog && other.isSameObject(as: dog), "without a primary key, instances are compared")
            #expect(Set([one, again]).count == 1)
        }
    }

    @Test func `S29 S30: frozen objects are equal within a version, and the same as the live one`() throws {
        try withRealm { realm in
            try realm.write { realm.add([Person(1), Person(2)] as [Object] + [Dog("Rex"), Dog("Bo")]) }
            func check<T: Object>(_ type: T.Type, hasKey: Bool) throws {
                let live = realm.objects(type)[0], frozen = live.freeze(), other = realm.objects(type)[1].freeze()
                let again = try #require(live.freeze() as T?)
                #expect(frozen !== again && frozen == again && frozen.hashValue == again.hashValue)
                #expect(frozen.isSameObject(as: again) && Set([frozen, again, other]).count == 2)
                #expect(frozen != other && !frozen.isSameObject(as: other) && !other.isSameObject(as: live))
                #expect(frozen != live && live != frozen)
                #expect(frozen.isSameObject(as: live) && live.isSameObject(as: frozen))
                #expect((realm.objects(type)[0] == live) == hasKey)
                try realm.write { realm.add(Person(9), update: .all) }
                let later = live.freeze()
                #expect(frozen != later && !frozen.isSameObject(as: later) && later.isSameObject(as: live))
                try realm.write { realm.delete(live) }
                #expect(!frozen.isSameObject(as: live) && !live.isSameObject(as: frozen) && frozen == again)
            }
            try check(Person.self, hasKey: true)
            try check(Dog.self, hasKey: false)
        }
    }

    @Test func `S33: a copy is unmanaged`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "age": 3]) }
            let copy = Person(value: person)
            #expect(copy.realm == nil && copy.name == "Ada" && copy.age == 3)
            copy.name = "Eva"
            #expect(person.name == "Ada")
            let made = Person(value: ["id": 2, "dog": ["name": "Rex"], "dogs": [["Max", 3], Dog("Bo")] as [Any]])
            #expect(made.dog?.realm == nil && made.dogs.map(\.name) == ["Max", "Bo"] && made.dogs[0].age == 3)
        }
    }

    @Test func `S34: descriptions end at a depth of five, cut data and long lists, and are safe when deleted`() throws {
        let people = (0..<7).map { Person($0) }
        for (one, next) in zip(people, people.dropFirst()) { one.friend = next }
        let text = people[0].description
        #expect(text.hasPrefix("Person {\n\tid = 0;\n\tname = ;\n") && text.contains("\t\t\t\t\tid = 4;"))
        #expect(text.contains("<Maximum depth exceeded>") && !text.contains("id = 5;"))
        people[0].dogs.append(objectsIn: (0..<103).map { Dog("\($0)") })
        #expect(people[0].description.contains("\n\t\t... 3 objects skipped.\n\t);"))
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: ["Rex"]) }
            #expect(dog.description == "Dog {\n\tname = Rex;\n\tage = 0;\n}", "inverse links are not shown")
            try realm.write { realm.delete(dog) }
            #expect(dog.description == "[invalid object]")
        }
    }

    @Test func `S34: values are shown as they are stored`() {
        let all = Everything()
        (all.bool, all.float, all.double, all.rank) = (true, 1.25, 3, .middle)
        (all.data, all.date) = (Data(repeating: 0xab, count: 30), Date(timeIntervalSince1970: 1))
        all.dataOrNil = Data([1, 0x2f])
        all.objectId = ObjectId("1234567890ab1234567890ab")
        let text = all.description
        for line in [
            "bool = 1", "int = 0", "float = 1.25", "double = 3", "rank = 5", "mood = calm", "intOrNil = (null)",
            "data = <\(String(repeating: "ab", count: 24)) — 30 total bytes>", "dataOrNil = <012f — 2 total bytes>",
            "date = 1970-01-01 00:00:01 +0000", "objectId = 1234567890ab1234567890ab", "uuid = \(all.uuid.uuidString)",
        ] {
            #expect(text.contains("\n\t\(line);\n"), "\(line) in \(text)")
        }
    }

    @Test func `S34: a class says of itself what it likes; within other objects it is shown as all are`() throws {
        class Badge: Object {
            @Persisted var name = "Ann"
            @Persisted var twin: Badge?
            override var description: String { "the badge of \(name), after \(super.description)" }
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let plain = "Badge {\n\tname = Ann;\n\ttwin = (null);\n}"
        let badge = Badge()
        #expect("\(badge)" == "the badge of Ann, after \(plain)")
        let realm = try Realm(configuration: .init(inMemoryIdentifier: "badges", objectTypes: [Badge.self]))
        let live = try realm.write {
            realm.add(badge)
            return realm.create(Badge.self, value: ["name": "Bo", "twin": badge])
        }
        let shown = plain.replacing("\n", with: "\n\t")
        #expect(live.description == "the badge of Bo, after Badge {\n\tname = Bo;\n\ttwin = \(shown);\n}")
        #expect(String(describing: realm.objects(Badge.self)).contains("[0] Badge {"))
        try realm.write { realm.delete(badge) }
        #expect(badge.isInvalidated && live.description.hasPrefix("the badge of Bo"))
    }

    @Test func `S34: a list is a step of the depth, as a link is`() {
        class Node: Object {
            @Persisted var nodes: List<Node>
            @Persisted var named: Map<String, Node?>
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        let node = Node()
        node.nodes.append(node)
        node.named["k"] = node
        let text = node.description.replacing(/0x[0-9a-f]+/, with: "0x0")
        #expect(
            text.hasPrefix(
                """
                Node {
                \tnodes = List<Node> <0x0> (
                \t\t[0] Node {
                \t\t\tnodes = List<Node> <0x0> (
                \t\t\t\t[0] Node {
                \t\t\t\t\tnodes = <Maximum depth exceeded>;
                \t\t\t\t\tnamed = <Maximum depth exceeded>;
                \t\t\t\t}
                \t\t\t);
                \t\t\tnamed = Map<string, Node> <0x0> (
                \t\t\t\t[k]: Node {

                """), "\(text)")
    }
}
