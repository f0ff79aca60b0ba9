// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// What is said of values that do not fit. Which scalars fit which type is in `CreateTests`.
@Suite struct MisfitTests {
    private struct Case {
        let type: Object.Type
        let value: Any
        let message: String

        init(_ type: Object.Type, _ value: Any, _ message: String) {
            (self.type, self.value, self.message) = (type, value, message)
        }
    }

    private static let types: [ObjectBase.Type] =
        houseTypes + customTypes + [Lists.self, Sets.self, Maps.self, Anything.self, Target.self, Origin.self]

    private static var cases: [Case] {
        let optionals = List<Int?>(), words = MutableSet<String>()
        optionals.append(1)
        return [
            // Objects.
            Case(Dog.self, 3, "Dog is made of a dictionary, an array or an object, not of 3 of type Int"),
            Case(Dog.self, NSNull(), "Dog is made of a dictionary, an array or an object, not of nil"),
            Case(Dog.self, Dog?.none as Any, "Dog is made of a dictionary, an array or an object, not of nil"),
            Case(Dog.self, ["Rex", 3, 4] as [Any], "Dog has 2 properties, and the array has 3 values"),
            // Links, and what is inside of them.
            Case(Person.self, ["dog": Person(2)], "Person.dog holds Dog, and an object of class Person is none"),
            Case(
                Person.self, ["dog": 3],
                "Person.dog holds Dog, and 3 of type Int is neither one nor a dictionary or an array of its values"),
            Case(
                Person.self, ["dog": ["Rex", "old"]],
                "Person.dog.age holds Int, and \"old\" of type String is no number"),
            Case(
                Person.self, ["dog": ["Rex", 3, 4] as [Any]],
                "Person.dog has 2 properties, and the array has 3 values"),
            Case(
                Person.self, ["friend": ["dogs": [["age": 1], ["age": 1.5]]]],
                "Person.friend.dogs[1].age holds Int, and 1.5 of type Double is no whole number"),
            Case(
                House.self, ["named": ["k": ["closet": ["dog": 1]]]],
                "House.named[\"k\"].closet.dog holds Dog, and 1 of type Int is neither one nor"),
            // Collections.
            Case(
                Person.self, ["dogs": "text"],
                "Person.dogs is a List<Dog>, and \"text\" of type String is no sequence"),
            Case(
                Person.self, ["dogs": ["a": 1]],
                "Person.dogs is a List<Dog>, and a dictionary of 1 values is no sequence"),
            Case(Person.self, ["dogs": [NSNull()]], "Person.dogs[0] holds Dog, which cannot be nil"),
            Case(
                Lists.self, ["ints": [1, "x"] as [Any]],
                "Lists.ints[1] holds Int, and \"x\" of type String is no number"),
            Case(Lists.self, ["ints": [1, nil] as [Int?]], "Lists.ints[1] holds Int, which cannot be nil"),
            Case(
                Lists.self, ["intsOrNil": ["x"]],
                "Lists.intsOrNil[0] holds Int?, and \"x\" of type String is no number"),
            Case(Lists.self, ["bytes": [1, 200]], "Lists.bytes[1] holds Int8, and 200 of type Int is not between -128"),
            Case(
                Lists.self, ["ranks": [1, 2]],
                "Lists.ranks[1] holds Rank, and 2 of type Int is the raw value of no case"),
            Case(
                Lists.self, ["ints": optionals],
                "Lists.ints is a List<Int>, and a List<Optional<Int>> has other elements; pass"),
            Case(
                Sets.self, ["ints": words],
                "Sets.ints is a MutableSet<Int>, and a MutableSet<String> has other elements"),
            Case(
                Sets.self, ["uuids": ["x"]],
                "Sets.uuids[0] holds UUID, and \"x\" of type String is not the text of a UUID"),
            Case(
                Maps.self, ["ints": [1, 2]],
                "Maps.ints is a Map<String, Int>, and an array of 2 values is no dictionary"),
            Case(
                Maps.self, ["ints": ["a": 1, "b": 1.5]],
                "Maps.ints[\"b\"] holds Int, and 1.5 of type Double is no whole"),
            Case(
                Maps.self, ["dogs": ["x": ["age": "old"]]],
                "Maps.dogs[\"x\"].age holds Int, and \"old\" of type String"),
            // Custom types.
            Case(
                Reading.self, ["code": "long"],
                "Reading.code holds Code?, and \"long\" of type String is a String of which"),
            Case(Reading.self, ["code": 1], "Reading.code holds Code?, and 1 of type Int is none"),
            Case(Reading.self, ["celsius": NSNull()], "Reading.celsius holds Celsius, which cannot be nil"),
            Case(
                Reading.self, ["celsius": "hot"],
                "Reading.celsius holds Celsius, and \"hot\" of type String is no number"),
            Case(Reading.self, ["place": NSNull()], "Reading.place holds Place, which cannot be nil"),
            Case(Reading.self, ["place": 1], "Reading.place holds StoredPlace, and 1 of type Int is neither one nor"),
            Case(
                Reading.self, ["far": ["x": "a"]],
                "Reading.far.x holds Double, and \"a\" of type String is no number"),
            Case(
                Reading.self, ["half": 0.25],
                "Reading.half holds Half, and 0.25 of type Double is the raw value of no case"),
            Case(
                Reading.self, ["history": [1, "x"] as [Any]],
                "Reading.history[1] holds Celsius, and \"x\" of type String"),
            // Values of any type, and decimal numbers.
            Case(
                Anything.self, ["value": words],
                "Anything.value holds AnyRealmValue, and a MutableSet<String> is of a type"),
            Case(
                Anything.self, ["value": [1, Room()] as [Any]],
                "Anything.value[1] holds AnyRealmValue, and an object of class"),
            Case(
                Anything.self, ["value": ["a": [words]]],
                "Anything.value[\"a\"][0] holds AnyRealmValue, and a MutableSet"),
            Case(
                Anything.self, ["values": [1, words] as [Any]],
                "Anything.values[1] holds AnyRealmValue, and a MutableSet"),
            Case(
                Anything.self, ["price": "much"],
                "Anything.price holds Decimal128, and \"much\" of type String is not the"),
            Case(Anything.self, ["price": true], "Anything.price holds Decimal128, and true of type Bool is no number"),
            Case(Anything.self, ["price": NSNull()], "Anything.price holds Decimal128, which cannot be nil"),
        ]
    }

    @Test(arguments: 0..<cases.count)
    func `S42 S44 S45 S48 S49: what does not fit is named with its path, its type and the reason`(index: Int) throws {
        let one = Self.cases[index]
        try withRealm(Self.types) { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(one.type, value: one.value) }
            }
            let message = error?.message ?? ""
            #expect(error?.code == .invalidInput && message.hasPrefix(one.message), "\(message)")
            #expect(realm.isEmpty)
        }
    }

    @Test func `long values are cut, and stand on one line`() throws {
        try withRealm { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Dog.self, value: ["age": String(repeating: "long\n", count: 100)]) }
            }
            let message = error?.message ?? ""
            #expect(message.count < 160 && !message.contains("\n") && message.contains("long long"))
        }
    }

    @Test func `a class with another name in the file is called as in the program`() throws {
        try withRealm([Mapped.self]) { realm in
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(Mapped.self, value: ["name": 3]) }
            }
            #expect(error?.message.hasPrefix("Mapped.name holds String") == true)
        }
    }

    @Test func `S219: linking objects cannot be set`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dog()["packs"] = [Person]()
        }
        expect(result, says: "Dog.packs is found by the links to the object and cannot be set")
    }
}
