// SPDX-License-Identifier: MIT
// FrozenCollectionTests.swift -- frozen collections: those in values of any type, equal ones, and all kinds at once.

import Foundation
import Strata
import Synchronization
import Testing

private actor Freezer {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func freezeInAWrite() async throws {
        try await realm.asyncWrite { _ = realm.freeze() }
    }
}

@Suite struct FrozenCollectionTests {
    private static let types: [ObjectBase.Type] = [AnyHolder.self, Dog.self, Person.self]

    private func withHolder(_ body: (Realm, AnyHolder) throws -> Void) throws {
        try withRealm(Self.types) { realm in
            let value: AnyRealmValue = ["list": [1, "two", ["x": 3]], "map": ["x": 1, "y": [2, 3]]]
            let holder = try realm.write {
                realm.create(
                    AnyHolder.self, value: ["id": 1, "value": value, "list": [value, [10, 20]], "map": ["a": value]])
            }
            try body(realm, holder)
        }
    }

    private func maps(_ holder: AnyHolder) throws -> [Map<String, AnyRealmValue>] {
        [
            try #require(holder.value.dictionaryValue), try #require(holder.list[0].dictionaryValue),
            try #require(holder.map["a"]?.dictionaryValue),
        ]
    }

    // MARK: Lists and maps in values of any type

    @Test func `S157 S211: lists and maps in values of any type freeze and thaw`() throws {
        try withHolder { realm, holder in
            for map in try maps(holder) {
                let list = try #require(map["list"]?.listValue), inner = try #require(list[2].dictionaryValue)
                let frozenMap = map.freeze(), frozenList = list.freeze(), frozenInner = inner.freeze()
                let found = list.filter("SELF == 'two'").freeze()
                #expect(frozenMap.isFrozen && frozenList.isFrozen && frozenInner.isFrozen && !list.isFrozen)
                #expect(frozenList.freeze() === frozenList && list.thaw() === list)
                try realm.write {
                    list[0] = 100
                    inner["x"] = 4
                    map["new"] = true
                }
                #expect(frozenList.count == 3 && frozenList[0] == 1 && frozenList[1] == "two")
                #expect(frozenList[2].dictionaryValue?["x"] == 3 && frozenInner["x"] == 3)
                #expect(frozenMap.keys == ["list", "map"] && frozenMap["map"]?.dictionaryValue?["x"] == 1)
                #expect(frozenMap["list"]?.listValue?.isFrozen == true && found.isFrozen && found.count == 1)
                let thawed = try #require(frozenList.thaw())
                #expect(thawed == list && !thawed.isFrozen && thawed[0] == 100 && frozenInner.thaw()?["x"] == 4)
                #expect(frozenMap.thaw()?["new"] == true && found.thaw()?.count == 1)
                let isRight = try onAnotherThread { [frozenList = Shared(frozenList), frozenInner = Shared(frozenInner)] in
                    Array(frozenList.value.prefix(2)) == [1, "two"] && frozenInner.value["x"] == 3
                }
                #expect(isRight)
                try realm.write { map["list"] = 5 }
                #expect(frozenList.thaw() == nil && frozenInner.thaw() == nil && frozenList.count == 3)
            }
            let frozen = try #require(holder.value.dictionaryValue).freeze()
            try realm.write { realm.delete(holder) }
            #expect(frozen.thaw() == nil && frozen["map"]?.dictionaryValue?["x"] == 1 && !frozen.isInvalidated)
        }
    }

    @Test func `S155 S211: a reference leads to a list in a value of any type`() throws {
        try withHolder { realm, holder in
            let list = try #require(holder.list[0].dictionaryValue?["list"]?.listValue)
            let reference = ThreadSafeReference(to: list), configuration = realm.configuration
            let isRight = try onAnotherThread {
                let realm = try Realm(configuration: configuration)
                return realm.resolve(reference).map { !$0.isFrozen && $0.count == 3 && $0[1] == "two" }
            }
            #expect(isRight == true)
        }
    }

    @Test func `S157 S211: in a write a list in a value of any type freezes with what it had at the start`() throws {
        try withHolder { realm, holder in
            let list = try #require(holder.value.dictionaryValue?["list"]?.listValue)
            try realm.write {
                list[0] = 100
                #expect(list.freeze()[0] == 1 && list[0] == 100)
            }
            #expect(list.freeze()[0] == 100)
        }
    }

    // Statements 157 and 211.
    @Test(
        """
        Differs from Realm: a list or dictionary inside of a value of any type cannot be frozen in a write that has \
        inserted, removed or moved elements around such ones; Realm freezes what it had before the write. Here it is \
        known by its position, which may have been another one then.
        """)
    func freezingNestedCollectionsThatMayHaveMoved() async {
        let moved = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([AnyHolder.self, Dog.self, Person.self]) { realm in
                let holder = try realm.write {
                    realm.create(AnyHolder.self, value: ["list": [[1], [2]] as [AnyRealmValue]])
                }
                try realm.write {
                    holder.list.insert([0], at: 0)
                    _ = holder.list[1].listValue?.freeze()  // the first one, and not the second
                }
            }
        }
        expect(
            moved,
            says: "a List<AnyRealmValue> that was made, or moved inside of a value of any type, by the write that is "
                + "open cannot be frozen; freeze it after the commit")
    }

    // MARK: Writes that share a transaction

    // Statement 157.
    @Test(
        """
        Differs from Realm: freezing inside of `asyncWrite` and the like stops the program; Realm freezes what was \
        there when the write began. Here such writes may share one transaction, and what one of them found at its \
        beginning is no version of the file.
        """)
    func freezingInQueuedWrites() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let temporary = try TemporaryRealm()
            try await Freezer(temporary.configuration).freezeInAWrite()
        }
        expect(
            result,
            saysAll: "nothing can be frozen inside of asyncWrite and the like, which may share a transaction with "
                + "other writes; freeze it before the write or after it")
    }

    @Test func `S148: what a frozen realm cannot do is said of the realm`() async {
        let commit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in try realm.freeze().commitWrite() }
        }
        expect(commit, says: "commitWrite() on a frozen realm, which never changes; use what thaw() gives")
        let invalidate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm { realm in realm.freeze().invalidate() }
        }
        expect(invalidate, says: "invalidate() on a frozen realm, which never changes; use what thaw() gives")
    }

    // MARK: Equality

    /// Frozen by two threads, so that they share nothing.
    @Test func `S30 S157: frozen collections of one object and version are equal, as live ones are`() throws {
        try withRealm(collectionTypes + Self.types) { realm in
            try realm.write {
                realm.create(Lists.self, value: ["id": 1, "ints": [1, 2]])
                realm.create(Lists.self, value: ["id": 2, "ints": [1, 2]])
                realm.create(Sets.self, value: ["id": 1, "ints": [1]])
                realm.create(Maps.self, value: ["id": 1, "ints": ["a": 1]])
                realm.create(AnyHolder.self, value: ["id": 1, "value": [1, [2]] as AnyRealmValue])
                let target = realm.create(Target.self)
                realm.create(Origin.self, value: ["list": [target]])
            }
            let mine = try Parts(realm), configuration = realm.configuration
            let theirs = try onAnotherThread { try Shared(Parts(Realm(configuration: configuration))) }.value
            #expect(mine.lists[0] == theirs.lists[0] && mine.lists[0] != theirs.lists[1])
            #expect(mine.set == theirs.set && mine.map == theirs.map && mine.links == theirs.links)
            #expect(mine.nested == theirs.nested && Set([mine.nested, theirs.nested]).count == 1)
            #expect(Set(mine.lists + theirs.lists).count == 2)
            #expect(AnyRealmCollection(mine.lists[0]) == AnyRealmCollection(theirs.lists[0]))
            // Results are equal if they are the same value, frozen or live.
            let live = realm.objects(Lists.self)
            #expect(live == live && live != realm.objects(Lists.self))
            #expect(mine.results == mine.results && mine.results != theirs.results)
            // Live and frozen ones are not, and neither are those of two versions.
            let list = realm.objects(Lists.self)[0].ints
            #expect(list == realm.objects(Lists.self)[0].ints && list != mine.lists[0])
            try realm.write { list.append(3) }
            #expect(list.freeze() != mine.lists[0])
        }
    }

    private struct Parts {
        let lists: [List<Int>], set: MutableSet<Int>, map: Map<String, Int>, nested: List<AnyRealmValue>
        let links: LinkingObjects<Origin>, results: Results<Lists>

        init(_ realm: Realm) throws {
            lists = realm.objects(Lists.self).sorted(by: \.id).map { $0.ints.freeze() }
            set = try #require(realm.objects(Sets.self).first).ints.freeze()
            map = try #require(realm.objects(Maps.self).first).ints.freeze()
            nested = try #require(realm.objects(AnyHolder.self).first?.value.listValue).freeze()
            links = try #require(realm.objects(Target.self).first).inLists.freeze()
            results = realm.objects(Lists.self).freeze()
        }
    }

    // MARK: All kinds at once

    /// Random objects with collections of every kind are frozen, read by eight threads at once in random order, and
    /// compared with what was read of them before, while another thread changes all of them.
    @Test func `S157: eight threads read frozen sets, maps, decimals and values of any type at once`() throws {
        let seed = testSeed("frozen collections")
        var random = SeededGenerator(state: seed)
        let temporary = try TemporaryRealm(collectionTypes + [AnyHolder.self, Anything.self])
        let realm = try temporary.open(), configuration = temporary.configuration
        for round in 0..<3 {
            try realm.write {
                realm.deleteAll()
                for id in 0..<8 { fill(realm, id, &random) }
            }
            let frozen = Shared(realm.freeze()), wrong = Atomic(0), over = Atomic(false), all = DispatchGroup()
            let expected = Self.texts(frozen.value)
            all.enter()
            Thread.detachNewThread {
                let realm = try? Realm(configuration: configuration)
                while !over.load(ordering: .relaxed) { try? realm?.write { Self.change(realm!) } }
                all.leave()
            }
            let readers = DispatchGroup()
            for number in 0..<8 {
                let start = random.next()
                readers.enter()
                Thread.detachNewThread {
                    var random = SeededGenerator(state: start)
                    for _ in 0..<10 {
                        // Some share the objects that they read, and some look them up.
                        let texts = Self.texts(frozen.value, shuffledBy: &random)
                        if texts != expected { wrong.add(1, ordering: .relaxed) }
                    }
                    _ = number
                    readers.leave()
                }
            }
            readers.wait()
            over.store(true, ordering: .relaxed)
            all.wait()
            #expect(wrong.load(ordering: .relaxed) == 0, "seed \(seed), round \(round)")
            realm.refresh()
        }
        try realm.verify()
    }

    private func fill(_ realm: Realm, _ id: Int, _ random: inout SeededGenerator) {
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        func text() -> String { String(repeating: "\(number(10))é", count: [0, 3, 40, 6000][number(4)]) }
        func decimal() -> Decimal128 { Decimal128(value: number(1000)) / 7 }
        func any(_ depth: Int) -> AnyRealmValue {
            switch number(depth > 2 ? 5 : 7) {
            case 0: .none
            case 1: .int(number(1000))
            case 2: .string(text())
            case 3: .decimal128(decimal())
            case 4: .data(Data(text().utf8))
            case 5: .fromArray((0..<number(4)).map { _ in any(depth + 1) })
            default: .fromDictionary(
                Dictionary((0..<number(4)).map { ("k\($0)", any(depth + 1)) }) { one, _ in one })
            }
        }
        let lists = realm.create(Lists.self, value: ["id": id]), sets = realm.create(Sets.self, value: ["id": id])
        let maps = realm.create(Maps.self, value: ["id": id]), holder = realm.create(AnyHolder.self, value: ["id": id])
        let dogs = (0..<3).map { Dog("d\(id)-\($0)", age: number(9)) }
        lists.decimals.append(objectsIn: (0..<number(20)).map { _ in decimal() })
        lists.decimalsOrNil.append(objectsIn: [nil, decimal()])
        lists.strings.append(objectsIn: (0..<number(9)).map { _ in text() })
        lists.dogs.append(objectsIn: dogs)
        sets.ints.insert(objectsIn: (0..<number(600)).map { _ in number(100_000) })
        sets.strings.insert(objectsIn: (0..<number(9)).map { _ in text() })
        sets.stringsOrNil.insert(objectsIn: [nil, text()])
        sets.dogs.insert(objectsIn: dogs)
        for _ in 0..<number(9) {
            maps.strings["k\(number(99))"] = text()
            maps.intsOrNil["k\(number(99))"] = number(2) == 0 ? nil : .some(number(9))
        }
        maps.dogs["dog"] = dogs[0]
        let anything = realm.create(Anything.self, value: ["id": id])
        anything.value = .object(dogs[1])
        anything.price = decimal()
        anything.discount = number(2) == 0 ? nil : decimal()
        anything.values.append(objectsIn: (0..<number(9)).map { _ in any(0) })
        holder.value = any(0)
        holder.list.append(objectsIn: (0..<number(5)).map { _ in any(0) })
        for key in 0..<number(5) { holder.map["k\(key)"] = any(0) }
    }

    private static func change(_ realm: Realm) {
        for lists in realm.objects(Lists.self) {
            lists.decimals.append(1)
            lists.strings.removeAll()
            lists.dogs.first?.age += 1
        }
        for sets in realm.objects(Sets.self) {
            sets.ints.insert(-sets.ints.count)
            sets.strings.removeAll()
        }
        for maps in realm.objects(Maps.self) { maps.strings["new"] = "\(maps.strings.count)" }
        for anything in realm.objects(Anything.self) { anything.price += 1 }
        for holder in realm.objects(AnyHolder.self) {
            holder.value = [1, [2]]
            holder.list.append([3])
            holder.map["k0"] = 4
        }
    }

    /// Everything in a realm, one text for each object.
    private static func texts(_ realm: Realm) -> [String: String] {
        var random = SeededGenerator(state: 1)
        return texts(realm, shuffledBy: &random)
    }

    private static func texts(_ realm: Realm, shuffledBy random: inout SeededGenerator) -> [String: String] {
        var texts: [String: String] = [:]
        for kind in Array(0..<5).shuffled(using: &random) {
            for id in Array(0..<8).shuffled(using: &random) { texts["\(kind) \(id)"] = text(kind, id, realm) }
        }
        return texts
    }

    private static func text(_ kind: Int, _ id: Int, _ realm: Realm) -> String? {
        switch kind {
        case 0:
            guard let it = realm.object(ofType: Lists.self, forPrimaryKey: id) else { return nil }
            return "\(Array(it.decimals)) \(Array(it.decimalsOrNil)) \(it.strings.joined()) \(it.dogs.map(\.name)) "
                + "\(it.decimals.sum()) \(it.dogs.sum(of: \.age)) \(Array(it.strings.sorted()))"
        case 1:
            guard let it = realm.object(ofType: Sets.self, forPrimaryKey: id) else { return nil }
            return "\(Array(it.ints)) \(Array(it.strings)) \(Array(it.stringsOrNil)) \(it.dogs.map(\.age).sorted()) "
                + "\(it.ints.max() ?? 0) \(it.ints.contains(7))"
        case 2:
            guard let it = realm.object(ofType: Maps.self, forPrimaryKey: id) else { return nil }
            return "\(it.strings.keys) \(it.strings.map(\.value)) \(it.intsOrNil.keys) "
                + "\(it.dogs["dog"]??.name ?? "none")"
        case 3:
            guard let it = realm.object(ofType: Anything.self, forPrimaryKey: id) else { return nil }
            return "\(it.value.object(Dog.self)?.name ?? "none") \(it.price) \(String(describing: it.discount)) "
                + it.values.map(text).joined(separator: ",")
        default:
            guard let it = realm.object(ofType: AnyHolder.self, forPrimaryKey: id) else { return nil }
            return text(it.value) + it.list.map(text).joined(separator: ",")
                + it.map.keys.map { "\($0)=\(it.map[$0].map(text) ?? "")" }.joined(separator: ",")
        }
    }

    private static func text(_ value: AnyRealmValue) -> String {
        if let list = value.listValue { return "[" + list.map(text).joined(separator: ",") + "]" }
        if let map = value.dictionaryValue {
            return "{" + map.keys.map { "\($0)=\(map[$0].map(text) ?? "")" }.joined(separator: ",") + "}"
        }
        return "\(value)"
    }
}

/// Something frozen on its way to other threads.
private struct Shared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
