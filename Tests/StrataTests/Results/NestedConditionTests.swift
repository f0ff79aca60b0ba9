// SPDX-License-Identifier: MIT
// NestedConditionTests.swift -- conditions on lists and maps that are nested in values of any type.

import Foundation
import Strata
import Testing

/// A class that only realms with `objectTypes` have.
private final class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var content: AnyRealmValue
    @Persisted var contents: List<AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func list(_ value: AnyRealmValue) throws -> List<AnyRealmValue> { try #require(value.listValue) }

private func withCrates(_ body: (Crate, Crate, Realm) throws -> Void) throws {
    try withRealm([Crate.self]) { realm in
        let (one, two) = try realm.write {
            let one = realm.create(Crate.self, value: [1, "one"]), two = realm.create(Crate.self, value: [2, "two"])
            one.content = .fromArray([
                .object(two), .int(3), .object(one), .fromArray([.int(8), .object(two)]), .string("two"),
            ])
            two.content = .fromDictionary([
                "self": .object(two), "size": .int(3), "deep": .fromDictionary(["size": .int(9)]),
            ])
            return (one, two)
        }
        try body(one, two, realm)
    }
}

@Suite struct NestedConditionTests {
    @Test func `Q12: an object of the realm is a constant`() throws {
        try withCrates { one, two, realm in
            let nested = try list(one.content)
            #expect(nested.index(matching: { $0 == .object(two) }) == 0)
            #expect(Array(nested.where { $0 == .object(one) }) == [.object(one)])
            #expect(nested.filter("SELF == %@ OR SELF == 'two'", two).count == 2)
            #expect(nested.where { $0.any == .object(two) }.count == 1)  // in the list that is nested deeper
            let deeper = try list(nested[3])
            #expect(deeper.index(matching: { $0 == .object(two) }) == 1)
            #expect(Array(deeper.where { $0 > .int(7) }) == [.int(8)])
            try realm.write { realm.delete(two) }
            #expect(nested.where { $0 == .object(one) }.count == 1 && nested.count == 4)
        }
    }

    @Test func `Q12: the values of a nested map are filtered in the order of the keys`() throws {
        try withCrates { _, two, _ in
            let nested = try #require(two.content.dictionaryValue)
            #expect(Array(nested.where { $0 == .object(two) || $0 == .int(3) }) == [.object(two), .int(3)])
            #expect(nested.filter("SELF['size'] == 9").count == 1)
            let deeper = try #require(nested["deep"]?.dictionaryValue)
            #expect(Array(deeper.filter("SELF BETWEEN {3, 9}")) == [.int(9)])
        }
    }

    @Test func `Q12: lists nested in elements of a list, with conditions that follow each other`() throws {
        try withCrates { one, _, realm in
            try realm.write {
                one.contents.append(.int(1))
                one.contents.append(.fromArray([.int(5), .int(1), .double(5), .int(9), .int(4)]))
            }
            let nested = try list(one.contents[1])
            let some = nested.where { $0 > .int(3) }.filter("SELF < 9")
            #expect(Array(some) == [.int(5), .double(5), .int(4)])
            #expect(Array(some.sorted()) == [.int(4), .int(5), .double(5)])
            #expect(Array(some.distinct().where { $0 != .int(4) }) == [.int(5)])
            #expect(some.index(matching: { $0 == .int(4) }) == 2)
            try realm.write {
                one.contents.insert(.none, at: 0)
                #expect(some.count == 3)  // what changes in the same write is found, too
                nested.append(.int(6))
                #expect(Array(some) == [.int(5), .double(5), .int(4), .int(6)])
                one.contents.remove(at: 2)
                #expect(some.isEmpty && some.isInvalidated)
            }
        }
    }

    @Test func `a wrong condition on a nested list is said of its property`() async throws {
        try withCrates { one, _, _ in
            let nested = try list(one.content)
            #expect(try nested.filter(checking: "SELF == 3").count == 1)
            let error = #expect(throws: Realm.Error.self) { try nested.filter(checking: "SELF.name == 'one'") }
            #expect(
                error?.message
                    == "the predicate \"SELF.name == 'one'\" cannot be used on Crate.content: at column 6: 'content' "
                    + "of Crate is a value (value of any type); in brackets stands what to look at in it, such as "
                    + "['name'] or [0]")
            #expect(throws: Realm.Error.self) { try nested.filter(checking: "SELF.@max > 3") }
        }
        let elsewhere = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withCrates { one, _, _ in
                try withCrates { other, _, _ in
                    _ = try list(one.content).where { $0 == .object(other) }
                }
            }
        }
        expect(elsewhere, says: "Crate with id 1 belongs to another realm than the query")
    }
}
