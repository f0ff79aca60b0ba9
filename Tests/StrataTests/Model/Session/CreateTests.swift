// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Ring: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: Ring?
}

private final class Node: Object {
    @Persisted var number: Int
    @Persisted var one: Node?
    @Persisted var many: List<Node>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class KeyedNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var many: List<KeyedNode>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Holder: Object {
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Trunk: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var branch: TrunkBranch?
    @Persisted var next: Trunk?
    @Persisted var all: List<Trunk>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class TrunkBranch: EmbeddedObject {
    @Persisted var leaf: TrunkLeaf?
    @Persisted var leaves: List<TrunkLeaf>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class TrunkLeaf: EmbeddedObject {
    @Persisted var size: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Values of a custom type at every depth.
private final class Milestone: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var place: Mark
    @Persisted var places: List<Mark>
    @Persisted var any: AnyRealmValue
    @Persisted var next: Milestone?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Mark: CustomPersistable, Equatable {
    var number: Int

    typealias PersistedType = StoredMark
    init(number: Int) { self.number = number }
    init(persistedValue: StoredMark) { number = persistedValue.number }
    var persistableValue: StoredMark { StoredMark(value: ["number": number]) }
}

private final class StoredMark: EmbeddedObject {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Bead: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var thread: Strand?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Strand: EmbeddedObject {
    @Persisted var number: Int
    @Persisted var next: Strand?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct CreateTests {
    @Test func `S52 S60: three hundred objects inside of each other keep the values of custom types`() throws {
        let count = 300
        var value: [String: Any] = [:]
        for id in (0..<count).reversed() {
            value = [
                "id": id, "place": ["number": id], "places": [Mark(number: id), Mark(number: -id)],
                "any": AnyRealmValue.int(id), "next": value.isEmpty ? NSNull() : value as Any,
            ]
        }
        func check(_ realm: Realm) {
            let all = realm.objects(Milestone.self).sorted(byKeyPath: "id")
            #expect(all.map(\.id) == Array(0..<count))
            #expect(all.map(\.place.number) == Array(0..<count))
            #expect(all.allSatisfy { $0.places.map(\.number) == [$0.id, -$0.id] && $0.any == .int($0.id) })
            #expect(all.allSatisfy { $0.next?.id == ($0.id == count - 1 ? nil : $0.id + 1) })
        }
        let classes: [ObjectBase.Type] = [Milestone.self, StoredMark.self]
        try withRealm(classes) { first in
            try first.write { first.create(Milestone.self, value: value) }
            check(first)
            try withRealm(classes) { second in
                let start = try #require(first.object(ofType: Milestone.self, forPrimaryKey: 0))
                try second.write { second.create(Milestone.self, value: start, update: .modified) }
                check(second)
                try second.verify()
            }
        }
    }

    @Test func `S60: embedded objects far inside of each other are copied; a circle of them fails`() throws {
        func bead(_ id: Int, _ count: Int) -> (Bead, last: Strand?) {
            let bead = Bead(value: ["id": id])
            var last: Strand?
            for number in 0..<count {
                let next = Strand(value: ["number": number])
                if let last { last.next = next } else { bead.thread = next }
                last = next
            }
            return (bead, last)
        }
        func numbers(_ bead: Bead) -> [Int] {
            guard let first = bead.thread else { return [] }
            return sequence(first: first) { $0.next }.map(\.number)
        }
        try withRealm([Bead.self, Strand.self]) { realm in
            let made = try realm.write { realm.create(Bead.self, value: bead(1, 250).0) }
            #expect(numbers(made) == Array(0..<250))
            try realm.write { made.setValue(made.thread?.next, forKey: "thread") }
            #expect(numbers(made) == Array(1..<250) && realm.dynamicObjects("Strand").count == 249)
            let (circle, last) = bead(2, 150)
            last?.next = circle.thread
            #expect(throws: Realm.Error.self) { try realm.write { realm.create(Bead.self, value: circle) } }
            last?.next = nil
            try realm.verify()
        }
    }

    @Test func `S60: live objects that link to each other in a circle are copied into another realm`() throws {
        try withRealm([Ring.self]) { first in
            let one = try first.write {
                let one = first.create(Ring.self, value: ["id": 1]), two = first.create(Ring.self, value: ["id": 2])
                (one.next, two.next) = (two, one)
                return one
            }
            try withRealm([Ring.self]) { second in
                try second.write { _ = second.create(Ring.self, value: one, update: .all) }
                #expect(second.objects(Ring.self).count == 2)
            }
        }
    }

    @Test(arguments: [false, true])
    func `S60: ten thousand objects that link to each other are copied into another realm`(isClosed: Bool) throws {
        let count = 10_000
        try withRealm([Ring.self]) { first in
            try first.write {
                for id in 0..<count { first.create(Ring.self, value: ["id": id]) }
                let rings = Array(first.objects(Ring.self))
                for id in 1..<count { rings[id - 1].next = rings[id] }
                if isClosed { rings[count - 1].next = rings[0] }
            }
            let start = try #require(first.object(ofType: Ring.self, forPrimaryKey: 0))
            try withRealm([Ring.self]) { second in
                let copy = try second.write { second.create(Ring.self, value: start) }
                #expect(second.objects(Ring.self).count == count)
                var last = copy
                for _ in 1..<count { last = try #require(last.next) }
                #expect(last.id == count - 1 && (isClosed ? last.next == copy : last.next == nil))
            }
        }
    }

    @Test func `S52: a value of a thousand dictionaries inside of each other becomes objects`() throws {
        var value: [String: Any] = ["id": 1000]
        for id in (0..<1000).reversed() { value = ["id": id, "next": value] }
        try withRealm([Ring.self]) { realm in
            let made = try realm.write { realm.create(Ring.self, value: value) }
            #expect(realm.objects(Ring.self).map(\.id).sorted() == Array(0...1000))
            #expect(made.next?.next?.next?.id == 3)
            let own = Ring(value: value)
            #expect(own.next?.next?.id == 2 && own.realm == nil)

            var wrong: [String: Any] = ["id": "none"]
            for id in (0..<500).reversed() { wrong = ["id": 2000 + id, "next": wrong] }
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Ring.self, value: wrong) }
            }
            let message = error?.message ?? ""
            #expect(message.hasPrefix("Ring leads to an object that does not fit: Ring"))
            #expect(message.hasSuffix(".id holds Int, and \"none\" of type String is no number"), "\(message)")
        }
    }

    @Test func `S52: a thousand dictionaries inside of each other are assigned to a live object by name`() throws {
        var value: [String: Any] = ["id": 1000]
        for id in (1..<1000).reversed() { value = ["id": id, "next": value] }
        try withRealm([Ring.self]) { realm in
            let ring = try realm.write { realm.create(Ring.self, value: ["id": 0]) }
            try realm.write { ring.setValue(value, forKey: "next") }
            #expect(realm.objects(Ring.self).map(\.id).sorted() == Array(0...1000))
            var last = ring
            while let next = last.next { last = next }
            #expect(last.id == 1000)
        }
    }

    @Test func `S60: an embedded object that two objects of a circle share is copied for each`() throws {
        try withRealm([Trunk.self, TrunkBranch.self, TrunkLeaf.self]) { realm in
            let one = Trunk(value: ["id": 1]), two = Trunk(value: ["id": 2])
            let branch = TrunkBranch(value: ["leaf": ["size": 5]])
            (one.next, two.next, one.branch, two.branch) = (two, one, branch, branch)
            try realm.write { realm.create(Trunk.self, value: one) }
            #expect(realm.objects(Trunk.self).map { $0.branch?.leaf?.size } == [5, 5])
            #expect(realm.dynamicObjects("TrunkBranch").count == 2 && branch.realm == nil)
        }
    }

    @Test func `S53: a value that leads to an object twice leaves no embedded object without owner`() throws {
        try withRealm([Trunk.self, TrunkBranch.self, TrunkLeaf.self]) { realm in
            let one = Trunk(value: ["id": 1]), two = Trunk(value: ["id": 2])
            two.branch = TrunkBranch(value: ["leaf": ["size": 1], "leaves": [["size": 2], ["size": 3]]])
            one.next = two
            one.all.append(objectsIn: [two, two])
            for policy in [Realm.UpdatePolicy.all, .modified, .all] {
                try realm.write { realm.create(Trunk.self, value: one, update: policy) }
                #expect(realm.objects(Trunk.self).count == 2 && realm.dynamicObjects("TrunkBranch").count == 1)
                #expect(realm.dynamicObjects("TrunkLeaf").count == 3, "\(policy)")
            }
            try realm.verify()
        }
    }

    @Test func `S38: create copies and never promotes`() throws {
        try withRealm { realm in
            let person = Person(1, "Ada"), dog = Dog("Rex")
            person.dog = dog
            let made = try realm.write { realm.create(Person.self, value: person) }
            #expect(person.realm == nil && dog.realm == nil && made.realm == realm && made !== person)
            #expect(made.dog?.name == "Rex" && made.dog !== dog)
        }
    }

    @Test func `S39 S45: managed objects are linked to as they are`() throws {
        try withRealm { realm in
            try realm.write {
                let dog = realm.create(Dog.self, value: ["Rex"])
                let person = realm.create(Person.self, value: ["id": 1, "dog": dog, "dogs": [dog, dog]])
                #expect(realm.create(Person.self, value: person, update: .modified) === person)
            }
            #expect(realm.objects(Dog.self).count == 1 && realm.objects(Person.self).first?.dogs.count == 2)
        }
    }

    @Test func `S45: an object of another realm is copied`() throws {
        try withRealm { one in
            let dog = try one.write { one.create(Dog.self, value: ["Rex"]) }
            try withRealm { other in
                try other.write { other.create(Person.self, value: ["id": 1, "dog": dog]) }
                #expect(other.objects(Dog.self).count == 1 && one.objects(Dog.self).count == 1)
            }
        }
    }

    @Test func `S41 S42 S43: names that are no properties are ignored, what is missing gets defaults`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: ["id": 1, "nothing": 3]) }
            #expect(person.name == "" && person.email == nil)
            let other = try realm.write { realm.create(Person.self, value: [2, "Bea"]) }
            #expect(other.id == 2 && other.name == "Bea" && other.age == 0)
            try realm.write {
                realm.create(Person.self, value: ["id": 2, "age": 9], update: .modified)
            }
            #expect(other.name == "Bea" && other.age == 9)
        }
    }

    static let wrong: [(String, any Sendable, String)] = [
        ("int", 1.5, "holds Int, and 1.5 of type Double is no whole number"),
        ("int", "1", "holds Int, and \"1\" of type String is no number"),
        (
            "int", UInt64.max,
            "holds Int, and 18446744073709551615 of type UInt64 is not between -9223372036854775808 and"
        ),
        ("int", Decimal128(2), "holds Int, and 2 of type Decimal128 is a decimal number; convert it"),
        ("int8", 300, "holds Int8, and 300 of type Int is not between -128 and 127"),
        ("int8OrNil", 300, "holds Int8?, and 300 of type Int is not between -128 and 127"),
        ("int16", -40_000, "holds Int16, and -40000 of type Int is not between -32768 and 32767"),
        ("int32", 3e9, "holds Int32, and 3000000000.0 of type Double is not between -2147483648 and 2147483647"),
        ("bool", 2, "holds Bool, and 2 of type Int is a number other than 0 and 1"),
        ("bool", 1.1, "holds Bool, and 1.1 of type Double is a number other than 0 and 1"),
        ("bool", "true", "holds Bool, and \"true\" of type String is no truth value"),
        ("float", true, "holds Float, and true of type Bool is no number"),
        ("float", 1e300, "holds Float, and 1e+300 of type Double is too large for it"),
        ("double", true, "holds Double, and true of type Bool is no number"),
        ("double", "1", "holds Double, and \"1\" of type String is no number"),
        ("string", 3, "holds String, and 3 of type Int is none"),
        ("string", true, "holds String, and true of type Bool is none"),
        ("data", "text", "holds Data, and \"text\" of type String is none"),
        ("date", "text", "holds Date, and \"text\" of type String is none"),
        ("date", 5, "holds Date, and 5 of type Int is none"),
        ("uuid", "text", "holds UUID, and \"text\" of type String is not the text of a UUID"),
        ("objectId", "0123456789abcdef01234567", "is text; convert it with ObjectId(string:)"),
        ("objectId", 5, "holds ObjectId, and 5 of type Int is none"),
        (
            "mood", "sad",
            "holds Mood, and \"sad\" of type String is the raw value of no case; they are \"calm\", \"cross\","
        ),
        ("mood", 2, "holds Mood, and 2 of type Int is none"),
        ("rank", 2, "holds Rank, and 2 of type Int is the raw value of no case; they are 1, 5, 9"),
        ("rankOrNil", 1.5, "holds Rank?, and 1.5 of type Double is no whole number"),
        ("rank", "low", "holds Rank, and \"low\" of type String is no number"),
        (
            "string", Int?.none as any Sendable,
            "holds String, which cannot be nil; declare it as Optional, or pass a value"
        ),
        ("mood", NSNull(), "holds Mood, which cannot be nil; declare it as Optional, or pass a value"),
    ]

    // S46 S47 S48 S49
    @Test(
        """
        Differs from Realm: a value that does not fit its property makes `write` throw and roll back; Realm \
        raises an exception of Objective-C, which Swift cannot catch. Data that comes from outside must not \
        end a program.
        """,
        arguments: wrong.indices)
    func unfitValuesFailTheWrite(index: Int) throws {
        let (name, value, message) = Self.wrong[index]
        try withRealm { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write {
                    let object = realm.create(Everything.self, value: [name: value])
                    #expect(object.realm == realm)
                }
            }
            let text = error?.message ?? ""
            #expect(error?.code == .invalidInput && text.hasPrefix("Everything.\(name) "), "\(text)")
            #expect(text.contains(message), "\(text)")
            #expect(realm.isEmpty)
        }
    }

    @Test func `S42: an array that is too long, and a value that is no object, fail the write`() throws {
        try withRealm { realm in
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Dog.self, value: ["Rex", 3, 4]) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Dog.self, value: 3) }
            }
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write { realm.create(Person.self, value: ["id": 1, "dog": Person(2)]) }
            }
        }
    }
}

@Suite struct CyclicValueTests {
    // S60
    @Test(
        """
        Differs from Realm: `create` copies objects that link to each other in a circle; Realm calls itself \
        until the stack is full.
        """)
    func createCopiesCycles() throws {
        try withRealm { realm in
            let one = Person(1), two = Person(2), dog = Dog("Rex")
            (one.friend, two.friend, one.dog) = (two, one, dog)
            let made = try realm.write { realm.create(Person.self, value: one) }
            #expect(made.friend?.id == 2 && made.friend?.friend == made && made.dog?.name == "Rex")
            #expect(one.realm == nil && two.realm == nil && realm.objects(Person.self).count == 2)
            let own = Person(3)
            own.friend = own
            let copy = Person(value: try realm.write { realm.create(Person.self, value: own) })
            #expect(copy.friend?.id == 3)
            try realm.write { realm.create(Person.self, value: one, update: .modified) }
            #expect(realm.objects(Person.self).count == 3)
        }
    }

    @Test func `S60: a circle is copied once for each way into it, however its objects are linked`() throws {
        let seed = testSeed("CyclicValueTests")
        var random = SeededGenerator(state: seed)
        for round in 0..<300 {
            let count = Int.random(in: 1...7, using: &random)
            let nodes = (0..<count).map { Node(value: ["number": $0]) }
            var links = [[Int]](repeating: [], count: count)
            for node in 0..<count {
                for other in 0..<count where Int.random(in: 0..<4, using: &random) == 0 { links[node].append(other) }
                if Bool.random(using: &random), let last = links[node].last { nodes[node].one = nodes[last] }
                nodes[node].many.append(objectsIn: links[node].map { nodes[$0] })
            }
            let expected = Self.copies(from: 0, links, nodes)
            try withRealm([Node.self]) { realm in
                let made = try realm.write { realm.create(Node.self, value: nodes[0]) }
                #expect(realm.objects(Node.self).count == expected, "seed \(seed), round \(round)")
                #expect(Self.isAlike(nodes[0], made), "seed \(seed), round \(round)")
                #expect(nodes.allSatisfy { $0.realm == nil })
            }
        }
    }

    @Test func `S60: many that all link to each other are copied once each`() throws {
        let nodes = (0..<40).map { Node(value: ["number": $0]) }
        for node in nodes { node.many.append(objectsIn: nodes) }
        try withRealm([Node.self, KeyedNode.self]) { realm in
            try realm.write { realm.create(Node.self, value: nodes[3]) }
            #expect(realm.objects(Node.self).count == 40)
            try realm.write {
                for id in 0..<40 { realm.create(KeyedNode.self, value: ["id": id]) }
                for node in realm.objects(KeyedNode.self) { node.many.append(objectsIn: realm.objects(KeyedNode.self)) }
            }
            try withRealm([KeyedNode.self]) { other in
                try other.write {
                    other.create(KeyedNode.self, value: realm.objects(KeyedNode.self)[0], update: .modified)
                }
                #expect(other.objects(KeyedNode.self).count == 40)
                #expect(other.objects(KeyedNode.self).allSatisfy { $0.many.count == 40 })
            }
        }
    }

    /// How many objects a node becomes: those that lead to it and back once, and what they lead to for each link.
    private static func copies(from start: Int, _ links: [[Int]], _ nodes: [Node]) -> Int {
        func reached(_ node: Int) -> Set<Int> {
            var found: Set<Int> = [], next = links[node]
            while let node = next.popLast() { if found.insert(node).inserted { next += links[node] } }
            return found
        }
        let around = reached(start).filter { reached($0).contains(start) }.union([start])
        return around.reduce(0) { sum, node in
            let all = links[node] + (nodes[node].one.map { [$0.number] } ?? [])
            return sum + 1 + all.filter { !around.contains($0) }.reduce(0) { $0 + copies(from: $1, links, nodes) }
        }
    }

    /// Whether a copy leads to what its original leads to, on ways of four links.
    private static func isAlike(_ original: Node, _ copy: Node, _ depth: Int = 4) -> Bool {
        if original.number != copy.number || original.many.count != copy.many.count { return false }
        if (original.one == nil) != (copy.one == nil) { return false }
        if depth == 0 { return true }
        if let one = original.one, let other = copy.one, !isAlike(one, other, depth - 1) { return false }
        return zip(original.many, copy.many).allSatisfy { isAlike($0, $1, depth - 1) }
    }

    @Test func `S45: objects inside of lists and dictionaries in values of any type are copied`() throws {
        try withRealm([Holder.self, Node.self]) { one in
            let (node, holder) = try one.write {
                let node = one.create(Node.self, value: ["number": 7]), any = AnyRealmValue.object(node)
                let values: [AnyRealmValue] = [.fromArray([any, .fromDictionary(["x": any])]), any]
                let holder = one.create(Holder.self)
                holder.any = values[0]
                holder.list.append(objectsIn: values)
                holder.map["y"] = values[0]
                return (node, holder)
            }
            let loose = Node(value: ["number": 8]), looseHolder = Holder()
            looseHolder.any = .fromArray([.fromDictionary(["x": .object(loose)])])
            looseHolder.list.append(looseHolder.any)
            let mixed = Holder()
            mixed.any = .fromArray([.object(node)])
            for (source, count) in [(holder, 7), (holder.freeze(), 7), (looseHolder, 2), (mixed, 1)] {
                try withRealm([Holder.self, Node.self]) { other in
                    try other.write { _ = other.create(Holder.self, value: source) }
                    #expect(other.objects(Node.self).count == count)
                    let value: [String: Any] = ["any": [source.any], "map": ["z": source.any]]
                    try other.write { _ = other.create(Holder.self, value: value) }
                    #expect(other.objects(Holder.self).count == 2)
                    let made = try #require(other.objects(Holder.self).first)
                    #expect(made.any.listValue?.isEmpty == false)
                    try other.verify()
                }
            }
            #expect(loose.realm == nil && one.objects(Node.self).count == 1)
        }
    }

    // S61
    @Test(
        """
        Differs from Realm: a `create` that fails makes its `write` fail, which leaves nothing behind; Realm \
        keeps what was made so far until the write is cancelled.
        """)
    func failedCreateLeavesNothing() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 7]) }
            var kept: Person?
            #expect(throws: Realm.Error(.invalidInput, "")) {
                try realm.write {
                    kept = realm.create(Person.self, value: ["id": 1, "dog": ["Rex"], "friend": ["id": 7]])
                    realm.create(Person.self, value: ["id": 2])
                }
            }
            #expect(realm.objects(Person.self).map(\.id) == [7] && realm.objects(Dog.self).isEmpty)
            #expect(kept?.realm == nil || kept?.isInvalidated == true)
            try realm.verify()
        }
    }
}

@Suite struct UpsertTests {
    @Test func `S53 S54: nested objects with a primary key take the same policy`() throws {
        try withRealm { realm in
            try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ada", "friend": [2, "Bea", 30]]) }
            for policy in [Realm.UpdatePolicy.modified, .all] {
                try realm.write {
                    realm.create(
                        Person.self, value: ["id": 1, "friend": ["id": 2, "name": "Bo"], "dogs": [["x"]]], update: policy)
                }
            }
            let one = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(realm.objects(Person.self).count == 2 && one.name == "Ada")
            #expect(one.friend?.name == "Bo" && one.friend?.age == 30)
            #expect(one.dogs.map(\.name) == ["x"] && realm.objects(Dog.self).count == 2)
        }
    }

    @Test func `S52: upsert with a dictionary sets what it mentions, nil too`() throws {
        try withRealm { realm in
            let person = try realm.write {
                realm.create(Person.self, value: ["id": 1, "email": "a@b", "dog": ["Rex"], "dogs": [["x"]], "age": 4])
            }
            try realm.write {
                realm.create(Person.self, value: ["id": 1, "email": NSNull(), "dog": NSNull()], update: .modified)
            }
            #expect(person.email == nil && person.dog == nil && person.dogs.count == 1 && person.age == 4)
        }
    }

    @Test(arguments: [Realm.UpdatePolicy.modified, .all])
    func `S52: upsert with an array sets the first properties only`(policy: Realm.UpdatePolicy) throws {
        try withRealm { realm in
            let person = try realm.write {
                realm.create(
                    Person.self,
                    value: ["id": 1, "name": "Ada", "age": 4, "email": "a@b", "dog": ["Rex"], "dogs": [["x"], ["y"]]])
            }
            try realm.write { realm.create(Person.self, value: [1, "Bea"], update: policy) }
            #expect(realm.objects(Person.self).count == 1 && person.name == "Bea" && person.age == 4)
            #expect(person.email == "a@b" && person.dog?.name == "Rex" && person.dogs.map(\.name) == ["x", "y"])
        }
    }

    @Test func `S40: values from an object of another class`() throws {
        class Stranger: Object {
            @Persisted var name = "Stranger"
            @Persisted var age = 44
            @Persisted var unknown = 1
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
        try withRealm { realm in
            let dog = try realm.write { realm.create(Dog.self, value: Stranger()) }
            #expect(dog.name == "Stranger" && dog.age == 44)
        }
    }

    @Test func `S44: nil, sequences and lists as values of a list`() throws {
        try withRealm { realm in
            try realm.write {
                let one = realm.create(Person.self, value: ["id": 1, "dogs": NSNull()])
                #expect(one.dogs.isEmpty)
                let two = realm.create(Person.self, value: ["id": 2, "dogs": [Dog("a"), Dog("b")]])
                let three = realm.create(Person.self, value: ["id": 3, "dogs": two.dogs])
                #expect(three.dogs.map(\.name) == ["a", "b"])
                let four = realm.create(Person.self, value: ["id": 4, "dogs": realm.objects(Dog.self)])
                #expect(four.dogs.count == 2)
            }
            #expect(realm.objects(Dog.self).count == 2)
            let people = realm.objects(Person.self)
            let unfit: [Any] = [
                "text", people, AnyRealmCollection(people), people.where { $0.id < 0 }, List<Person>(),
            ]
            for value in unfit {
                #expect(throws: Realm.Error(.invalidInput, "")) {
                    try realm.write { realm.create(Person.self, value: ["id": 5, "dogs": value]) }
                }
            }
        }
    }
}
