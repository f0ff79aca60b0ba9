// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// Compared by the compiler, member by member, though only one of them is stored.
struct Measured: CustomPersistable {
    var degrees: Double
    var isRough = false
    init(_ degrees: Double, isRough: Bool = false) { (self.degrees, self.isRough) = (degrees, isRough) }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

/// Has a member that is compared by the compiler in turn.
struct Range2D: CustomPersistable {
    var from: Place, to: Place
    init(persistedValue: String) {
        let numbers = persistedValue.split(separator: " ").compactMap { Double($0) }
        (from, to) = (Place(x: numbers[0], y: numbers[1]), Place(x: numbers[2], y: numbers[3]))
    }
    var persistableValue: String { "\(from.x) \(from.y) \(to.x) \(to.y)" }
}

/// Without Hashable members, so that it says itself what is equal: here less than what is stored.
struct Named: FailableCustomPersistable {
    let text: String
    let render: () -> String
    init?(persistedValue: String) {
        text = persistedValue
        render = { persistedValue }
    }
    var persistableValue: String { text }
    static func == (left: Named, right: Named) -> Bool { left.text.lowercased() == right.text.lowercased() }
    func hash(into hasher: inout Hasher) { hasher.combine(text.lowercased()) }
}

/// An enum with payloads.
enum Amount: CustomPersistable {
    case none, some(Int), text(String)
    init(persistedValue: String) {
        self = persistedValue.isEmpty ? .none : Int(persistedValue).map { .some($0) } ?? .text(persistedValue)
    }
    var persistableValue: String {
        switch self {
        case .none: ""
        case .some(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// A class, equal to others by what it holds.
final class Tag: CustomPersistable {
    let name: String
    init(persistedValue: String) { name = persistedValue }
    var persistableValue: String { name }
    static func == (left: Tag, right: Tag) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

enum ShirtSize: String, RealmEnum { case small = "s", large = "l" }

class Compared: Object {
    @Persisted var measured: List<Measured>
    @Persisted var places: List<Place>
    @Persisted var ranges: MutableSet<Range2D>
    @Persisted var names: List<Named>
    @Persisted var amounts: List<Amount>
    @Persisted var tags: List<Tag>
}

@Suite struct CustomEqualityTests {
    @Test func `a type is compared by its members, not by what is stored`() {
        #expect(Measured(1) == Measured(1) && Measured(1) != Measured(2))
        #expect(Measured(1) != Measured(1, isRough: true))
        #expect(Set([Measured(1), Measured(1), Measured(1, isRough: true)]).count == 2)
        let range = Range2D(persistedValue: "1 2 3 4")
        #expect(range == Range2D(persistedValue: "1.0 2 3 4") && range != Range2D(persistedValue: "1 2 3 5"))
        #expect([range].contains(Range2D(persistedValue: "1 2 3 4")))
    }

    @Test func `a type that is stored as an embedded object is compared by its members`() {
        #expect(Place(x: 1, y: 2) == Place(x: 1, y: 2) && Place(x: 1, y: 2) != Place(x: 1, y: 3))
        #expect(Set([Place(x: 1, y: 2), Place(x: 1, y: 2)]).count == 1)
        #expect([Place(x: 1, y: 2)].firstIndex(of: Place(x: 1, y: 2)) == 0)
        #expect(Place(x: 1, y: 2).hashValue == Place(x: 1, y: 2).hashValue)
    }

    @Test func `the own == of structs, enums and classes wins`() throws {
        let upper = try #require(Named(persistedValue: "A")), lower = try #require(Named(persistedValue: "a"))
        #expect(upper == lower && Set([upper, lower]).count == 1)
        #expect(Amount.some(3) == Amount(persistedValue: "3") && Amount.text("x") != .none)
        #expect(Set([Amount.none, .some(1), .some(1), .text("1")]).count == 3)
        #expect(Tag(persistedValue: "x") == Tag(persistedValue: "x"))
        #expect(Set([Tag(persistedValue: "x"), Tag(persistedValue: "x")]).count == 1)
        #expect(ShirtSize.small == ShirtSize(rawValue: "s"))
        #expect(Set(["s", "l", "s"].map { ShirtSize(rawValue: $0) }).count == 2)
    }

    @Test func `elements are found by ==`() throws {
        func check(_ object: Compared) throws {
            #expect(object.measured.index(of: Measured(2)) == 1 && object.measured.contains(Measured(2)))
            #expect(object.places.index(of: Place(x: 3, y: 4)) == 1)
            #expect(object.places.index(of: Place(x: 3, y: 5)) == nil)
            #expect(object.places.contains(Place(x: 3, y: 4)))
            #expect(object.ranges.contains(Range2D(persistedValue: "1 2 3 4")) && object.ranges.count == 1)
            #expect(object.names.contains(try #require(Named(persistedValue: "ADA"))))
            #expect(object.amounts.index(of: .some(7)) == 1 && object.tags.index(of: Tag(persistedValue: "y")) == 1)
        }
        let object = Compared()
        object.measured.append(objectsIn: [Measured(1), Measured(2), Measured(2)])
        object.places.append(objectsIn: [Place(x: 1, y: 2), Place(x: 3, y: 4), Place(x: 3, y: 4)])
        for text in ["1 2 3 4", "1.0 2.0 3.0 4.0"] { object.ranges.insert(Range2D(persistedValue: text)) }
        object.names.append(objectsIn: ["Ada", "Bob"].compactMap { Named(persistedValue: $0) })
        object.amounts.append(objectsIn: [.none, .some(7), .text("x")])
        object.tags.append(objectsIn: ["x", "y"].map { Tag(persistedValue: $0) })
        try check(object)
        let copy = Compared()
        copy.measured.append(objectsIn: object.measured)
        #expect(copy.measured == object.measured && copy.places != object.places)
        copy.places.append(objectsIn: object.places)
        #expect(copy.places == object.places)
        try withRealm([Compared.self, StoredPlace.self]) { realm in
            try realm.write { realm.add(object) }
            try check(object)
            #expect(object.places.results.index(of: Place(x: 3, y: 4)) == 1)
        }
    }

    @Test func `Swift's contains and firstIndex use ==, index(of:) looks for what is stored`() throws {
        try withRealm([Compared.self, StoredPlace.self]) { realm in
            let object = Compared()
            let large = try #require(Named(persistedValue: "ADA")), small = try #require(Named(persistedValue: "ada"))
            object.names.append(objectsIn: ["Bob", "ada"].compactMap { Named(persistedValue: $0) })
            #expect(object.names.index(of: large) == 1)
            try realm.write { realm.add(object) }
            #expect(object.names.contains(large) && object.names.firstIndex(of: large) == 1)
            #expect(object.names.index(of: large) == nil && object.names.index(of: small) == 1)
            let results = object.names.results
            #expect(results.contains(large) && results.firstIndex(of: large) == 1)
            #expect(results.index(of: large) == nil && results.index(of: small) == 1)
        }
    }

    @Test(
        """
        Differs from Realm: `index(of:)` of a custom type that is stored as an embedded object finds the first element \
        that is equal; Realm looks for the object itself and finds none. An array finds it.
        """
    )
    func indexOfCustomType() throws {
        try withRealm([Compared.self, StoredPlace.self]) { realm in
            let object = Compared()
            object.places.append(Place(x: 1, y: 2))
            try realm.write { realm.add(object) }
            #expect(object.places.index(of: Place(x: 1, y: 2)) == 0)
        }
    }
}
