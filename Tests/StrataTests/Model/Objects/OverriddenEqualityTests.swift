// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Equal if the names are, as apps written for Realm say it.
class NamedThing: Object {
    @Persisted var name: String
    @Persisted var size: Int

    override func isEqual(_ object: Any?) -> Bool { (object as? NamedThing)?.name == name }
    override var hash: Int { name.hashValue }

    convenience init(_ name: String, size: Int = 0) {
        self.init()
        self.name = name
        self.size = size
    }
}

class NamedPart: EmbeddedObject {
    @Persisted var name: String

    override func isEqual(_ object: Any?) -> Bool { (object as? NamedPart)?.name == name }
    override var hash: Int {
        var hasher = Hasher()
        hasher.combine(name)
        return hasher.finalize()
    }
}

class NamedHolder: Object {
    @Persisted var list: List<NamedThing>
    @Persisted var set: MutableSet<NamedThing>
    @Persisted var parts: List<NamedPart>
}

@Suite struct OverriddenEqualityTests {
    @Test func `S30: isEqual and hash of a class are what == and Hashable use`() throws {
        let one = NamedThing("a", size: 1), other = NamedThing("a", size: 2), third = NamedThing("b")
        #expect(one == other && one != third && one.hashValue == other.hashValue && Set([one, other, third]).count == 2)
        #expect([one, third].firstIndex(of: other) == 0 && [third].contains(one) == false)
        #expect(!one.isSameObject(as: other) && one.isEqual(other) && !one.isEqual(nil) && !one.isEqual("a"))
        let part = NamedPart(value: ["x"]), equal = NamedPart(value: ["x"])
        #expect(part == equal && Set([part, equal]).count == 1)
        try withRealm([NamedThing.self, NamedHolder.self, NamedPart.self]) { realm in
            try realm.write { realm.add([one, other, third]) }
            let all = realm.objects(NamedThing.self)
            #expect(all.count == 3 && all[0] == other && all[0] == NamedThing("a") && Set(all).count == 2)
        }
    }

    @Test func `S30: lists, results and managed sets find objects by where they are stored`() throws {
        let one = NamedThing("a", size: 1), other = NamedThing("a", size: 2), holder = NamedHolder()
        holder.list.append(objectsIn: [one, other])
        #expect(holder.list.index(of: other) == 1 && holder.list.index(of: NamedThing("a")) == nil)
        try withRealm([NamedThing.self, NamedHolder.self, NamedPart.self]) { realm in
            try realm.write {
                realm.add(holder)
                holder.set.insert(objectsIn: [one, other])
            }
            #expect(holder.list.index(of: other) == 1 && holder.list.index(of: realm.objects(NamedThing.self)[1]) == 1)
            #expect(holder.set.count == 2 && holder.set.contains(other) && !holder.set.contains(NamedThing("a")))
            #expect(realm.objects(NamedThing.self).index(of: other) == 1 && holder.list.contains(NamedThing("a")))
        }
    }

    @Test func `S30 S31: without an override managed objects with a primary key are equal by their rows`() throws {
        try withRealm { realm in
            let person = try realm.write { realm.create(Person.self, value: [1, "Ada"] as [Any]) }
            let again = try #require(realm.object(ofType: Person.self, forPrimaryKey: 1))
            #expect(person == again && person.hash == again.hash && person.isEqual(again) && person != Person(1))
            let one = Person(1), other = Person(1)
            #expect(one.hash != other.hash && Set([person, again, one]).count == 2)
        }
    }
}
