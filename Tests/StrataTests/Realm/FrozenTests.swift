// SPDX-License-Identifier: MIT
// FrozenTests.swift -- passing on what is frozen, and parameters of actors that are wrapped.

import Foundation
import Strata
import Testing

private actor Kennel {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func name(@ThreadSafe person: Person?) -> String? { person?.name }

    func rename(@ThreadSafe person: Person?) throws -> Bool {
        guard let person else { return false }
        try realm.write { person.name = "renamed" }
        return person.realm == realm
    }

    func thaws(_ person: Frozen<Person>) -> Bool { person.value.thaw()?.realm == realm }
}

@Suite(.timeLimit(.minutes(20))) struct FrozenTests {
    @Test func `S157: what is frozen is passed to tasks, also collections, realms and sections`() async throws {
        let temporary = try TemporaryRealm(), realm = try temporary.open()
        try realm.write { for id in 0..<4 { realm.add(Person(id, "n", age: id / 2)) } }
        let people = realm.objects(Person.self)
        let person = Frozen(people[1]), all = Frozen(people), any = Frozen(AnyRealmCollection(people))
        let whole = Frozen(realm), sections = Frozen(people.sectioned(by: \.age)), section = Frozen(sections.value[1])
        try realm.write { realm.deleteAll() }
        let counts = await Task.detached {
            [
                person.value.id, all.value.count, any.value.count, whole.value.objects(Person.self).count,
                sections.value.count, section.value.count,
            ]
        }.value
        #expect(counts == [1, 4, 4, 4, 2, 2])
        #expect(all.value.isFrozen && Frozen(all.value).value == all.value)
    }

    @Test func `S155: a parameter that is wrapped is the object in the realm of the actor`() async throws {
        let temporary = try TemporaryRealm(), kennel = try await Kennel(temporary.configuration)
        let names = try await Self.onMain(temporary.configuration, kennel)
        #expect(names == ["a", "renamed"])
    }

    @MainActor private static func onMain(
        _ configuration: Realm.Configuration, _ kennel: Kennel
    ) async throws -> [String?] {
        let realm = try await Realm(configuration: configuration)
        let person = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "a"]) }
        @ThreadSafe var wrapped: Person? = person
        let before = await kennel.name($person: $wrapped), isOwn = try await kennel.rename($person: $wrapped)
        #expect(isOwn)
        #expect(await kennel.thaws(Frozen(person)))
        realm.refresh()
        return [before, person.name]
    }
}
