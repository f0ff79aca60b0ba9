// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

final class ProjectedPerson: Object {
    @Persisted var firstName: String
    @Persisted var lastName = ""
    @Persisted var age: Int
    @Persisted var address: ProjectedAddress?
    @Persisted var friends: List<ProjectedPerson>
    @Persisted var words: MutableSet<String>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<ProjectedPerson>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    convenience init(_ first: String, _ last: String = "", age: Int = 0, city: String? = nil) {
        self.init()
        firstName = first
        lastName = last
        self.age = age
        address = city.map { ProjectedAddress(value: ["city": $0]) }
    }
}

final class ProjectedAddress: EmbeddedObject {
    @Persisted var city: String
    @Persisted var country: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class PersonProjection: Projection<ProjectedPerson> {
    @Projected(\ProjectedPerson.firstName) var name
    @Projected(\ProjectedPerson.lastName.localizedUppercase) var surname
    @Projected(\ProjectedPerson.age) var years
    @Projected(\ProjectedPerson.address?.city) var city
    @Projected(\ProjectedPerson.friends.projectTo.firstName) var friendNames: ProjectedCollection<String>
    @Projected(\ProjectedPerson.words) var words
}

final class NarrowProjection: PersonProjection {
    @Projected(\ProjectedPerson.firstName) var alsoName
    var shouted: String { name.uppercased() }
}

/// The class of Realm's guide to places: its coordinates are elements of a list.
final class ProjectedPoint: EmbeddedObject {
    @Persisted private var type = "Point"
    @Persisted private var coordinates: List<Double>
    var latitude: Double { autoreleasepool { coordinates[1] } }

    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

final class ProjectedShop: Object {
    @Persisted var name: String
    @Persisted var location: ProjectedPoint?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class ShopProjection: Projection<ProjectedShop> {
    @Projected(\ProjectedShop.name) var name
    @Projected(\ProjectedShop.location?.latitude) var latitude
}

final class MisreadPerson: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var friends: List<MisreadPerson>
    var nickname: String { "nobody" }
    lazy var counter = 3

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MisreadProjection: Projection<MisreadPerson> {
    @Projected(\MisreadPerson.name) var name
    @Projected(\MisreadPerson.nickname) var nick
    @Projected(\MisreadPerson.friends.projectTo.nickname) var friendNicks: ProjectedCollection<String>
}

private final class MisreadAgain: MisreadProjection {
    @Projected(\MisreadPerson.counter) var counter
}

struct PersonRow: ValueProjection, Hashable {
    let name: String
    let city: String?

    init(projecting person: ProjectedPerson) {
        name = person.firstName
        city = person.address?.city
    }
}

/// Statements 184, 217 and 218.
@Suite struct ProjectionTests {
    private static let types: [ObjectBase.Type] = [ProjectedPerson.self, ProjectedAddress.self]

    private static func fill(_ realm: Realm) throws {
        try realm.write {
            let people = [
                ProjectedPerson("Ann", "Ash", age: 30, city: "Bonn"), ProjectedPerson("Ben", "Oak", age: 20),
                ProjectedPerson("Cid", "Elm", age: 40, city: "Rome"),
            ]
            realm.add(people)
            people[0].friends.append(objectsIn: people[1...])
            people[0].words.insert(objectsIn: ["a", "b"])
        }
    }

    @Test func `S217: a projection reads and writes its object`() throws {
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let all = realm.objects(PersonProjection.self)
            #expect(all.count == 3 && all.map(\.name) == ["Ann", "Ben", "Cid"])
            let ann = try #require(all.first), ben = all[1]
            #expect(ann.surname == "ASH" && ann.city == "Bonn" && ben.city == nil && ann.years == 30)
            #expect(Array(ann.friendNames) == ["Ben", "Cid"] && ann.friendNames.count == 2 && ann.words.count == 2)
            #expect(ann.friendNames[1] == "Cid" && ann.friendNames.index(of: "Cid") == 1)
            try realm.write {
                ann.name = "Anna"
                ann.years += 1
                ann.friendNames[0] = "Benno"
                ann.words.insert("c")
            }
            #expect(ann.rootObject.firstName == "Anna" && ann.rootObject.age == 31 && ben.name == "Benno")
            #expect(ann == all[0] && ann !== all[0] && ann.hashValue == all[0].hashValue && ann != ben)
            #expect(Set([ann, all[0], ben]).count == 2 && ann.isSameObject(as: all.first))
            #expect(ann.realm == realm && !ann.isFrozen && !ann.isInvalidated)
            #expect("\(ann)".contains("name(firstName) = Anna") && "\(ann)".contains("city(address.city) = Bonn"))
            #expect("\(ann)".contains("friendNames(friends.firstName)"))
            try realm.write { realm.delete(ann.rootObject) }
            #expect(ann.isInvalidated && all.count == 2)
        }
    }

    @Test func `S217: conditions, sorts and sections take the names of both`() throws {
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let all = realm.objects(PersonProjection.self)
            #expect(all.where { $0.name == "Cid" }.map(\.years) == [40])
            #expect(all.where { $0.firstName == "Cid" && $0.years > 3 }.map(\.name) == ["Cid"])
            #expect(all.where { $0.city == "Rome" }.map(\.name) == ["Cid"])
            #expect(all.where { $0.city == nil }.map(\.name) == ["Ben"])
            #expect(all.filter("age > 25").map(\.name) == ["Ann", "Cid"])
            #expect(all.sorted(by: \.years, ascending: false).map(\.name) == ["Cid", "Ann", "Ben"])
            #expect(all.sorted(byKeyPath: "age").map(\.name) == ["Ben", "Ann", "Cid"])
            #expect(all.sorted(by: \.city).map(\.name) == ["Ann", "Cid", "Ben"])
            let byCityAndAge = [
                SortDescriptor(keyPath: \PersonProjection.city, ascending: false),
                SortDescriptor(keyPath: \PersonProjection.years, ascending: false), "firstName",
            ]
            #expect(all.sorted(by: byCityAndAge).map(\.name) == ["Ben", "Cid", "Ann"])
            #expect(all.sum(of: \.years) == 90 && all.max(of: \.years) == 40)
            #expect(all.distinct(by: [\PersonProjection.years]).count == 3)
            let sections = all.sectioned(by: \.name)
            #expect(sections.allKeys == ["Ann", "Ben", "Cid"] && sections[0].first?.years == 30)
            #expect("\(all.explain())".isEmpty == false)
        }
    }

    @Test func `a projection may be a subclass of another`() throws {
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let all = realm.objects(NarrowProjection.self).sorted(by: \.alsoName, ascending: false)
            #expect(all.map(\.shouted) == ["CID", "BEN", "ANN"] && all.first?.years == 40)
            #expect(all[0] as PersonProjection != realm.objects(PersonProjection.self)[2], "of another type")
        }
    }

    @Test func `S218: projections of unmanaged objects, frozen and thawed ones`() throws {
        let person = ProjectedPerson("Dan", "Fir", age: 5, city: "Oslo")
        let plain = PersonProjection(projecting: person)
        plain.name = "Daniel"
        #expect(person.firstName == "Daniel" && plain.city == "Oslo" && plain.realm == nil && plain.friendNames.isEmpty)
        #expect(plain == PersonProjection(projecting: person))
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let live = try #require(realm.objects(PersonProjection.self).first)
            let frozen = live.freeze(), names = live.friendNames.freeze()
            try realm.write {
                live.name = "other"
                live.friendNames[0] = "changed"
            }
            #expect(frozen.isFrozen && frozen.name == "Ann" && frozen.friendNames.isFrozen)
            #expect(Array(names) == ["Ben", "Cid"] && names.thaw()?.first == "changed")
            #expect(frozen.thaw()?.name == "other" && frozen.thaw() == live)
            nonisolated(unsafe) let results = realm.objects(PersonProjection.self).freeze()
            let reference = ThreadSafeReference(to: live)
            #expect(try onAnotherThread { results.map(\.name) } == ["other", "changed", "Cid"])
            #expect(realm.resolve(reference)?.name == "other")
        }
    }

    @Test func `a value projection is filled in one pass`() throws {
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let rows = realm.objects(ProjectedPerson.self).sorted(by: \.firstName).project(to: PersonRow.self)
            #expect(rows.map(\.name) == ["Ann", "Ben", "Cid"] && rows.map(\.city) == ["Bonn", nil, "Rome"])
            let names = try onAnotherThread { rows.map(\.name) }
            #expect(names == ["Ann", "Ben", "Cid"])
            let first = try #require(realm.objects(ProjectedPerson.self).first)
            #expect(first.friends.project(to: PersonRow.self).map(\.name) == ["Ben", "Cid"])
        }
    }

    @Test func `a computed property may read elements of a list`() throws {
        try withRealm([ProjectedShop.self, ProjectedPoint.self]) { realm in
            try realm.write {
                realm.create(ProjectedShop.self, value: ["name": "a"]).location = ProjectedPoint(1, 2)
                realm.create(ProjectedShop.self, value: ["name": "b"])
            }
            #expect(realm.objects(ShopProjection.self).map(\.latitude) == [1, nil])
        }
    }

    /// Statement 184.
    @MainActor
    @Test(
        """
        Differs from Realm: an observer of a projection is told of exactly the properties that show another value, \
        with the values before, also through links; Realm tells of every assignment of what they read.
        """)
    func onlyWhatAProjectionShowsIsTold() async throws {
        let temporary = try TemporaryRealm(Self.types), realm = try temporary.open()
        try Self.fill(realm)
        let ann = try #require(realm.objects(NarrowProjection.self).first)
        let told = Mutex<[String]>([])
        func note(_ change: ObjectChange<NarrowProjection>) {
            switch change {
            case .change(_, let properties):
                let lines = properties.map { "\($0.name): \($0.oldValue ?? "-") \($0.newValue ?? "-")" }
                told.withLock { $0.append(lines.sorted().joined(separator: ", ")) }
            case .deleted: told.withLock { $0.append("deleted") }
            case .error: break
            }
        }
        let token = ann.observe { (change: ObjectChange<NarrowProjection>) in note(change) }
        func change(_ body: @escaping @Sendable (Realm, ProjectedPerson) -> Void) async throws -> [String] {
            let configuration = temporary.configuration
            try onAnotherThread {
                let other = try Realm(configuration: configuration)
                try other.write { body(other, other.objects(ProjectedPerson.self)[0]) }
            }
            _ = realm.refresh()
            try await Task.sleep(for: .milliseconds(20))
            return told.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
        #expect(try await change { _, person in person.firstName = "Anna" } == ["alsoName: Ann Anna, name: Ann Anna"])
        #expect(try await change { _, person in person.firstName = "Anna" } == [], "the same value")
        #expect(try await change { _, person in person.address?.city = "Ulm" } == ["city: Bonn Ulm"])
        #expect(try await change { _, person in person.address?.country = "D" } == [], "not projected")
        #expect(try await change { _, person in person.lastName = "ash" } == [], "ASH, as before")
        #expect(try await change { _, person in person.address = nil } == ["city: Ulm -"])
        let friends = try await change { realm, person in person.friends[0].firstName = "Benno" }
        #expect(friends.count == 1 && friends[0].hasPrefix("friendNames: -"))
        #expect(try await change { realm, person in realm.delete(person) } == ["deleted"])
        token.invalidate()
    }

    @MainActor
    @Test func `observers of projected collections and of chosen properties`() async throws {
        let temporary = try TemporaryRealm(Self.types), realm = try temporary.open()
        try Self.fill(realm)
        let ann = try #require(realm.objects(PersonProjection.self).first)
        var updates: [String] = [], names: [String] = [], results: [Int] = []
        let one = ann.friendNames.observe { change in
            switch change {
            case .initial(let all): updates.append("\(all.count)")
            case .update(let all, let deletions, let insertions, let modifications):
                updates.append("\(Array(all)) \(deletions) \(insertions) \(modifications)")
            case .error: break
            }
        }
        let two = ann.observe(keyPaths: [\.years]) { change in
            if case .change(_, let properties) = change { names += properties.map(\.name) }
        }
        let three = realm.objects(PersonProjection.self).where { $0.years > 25 }.observe { change in
            if case .update(let all, _, _, _) = change { results.append(all.count) }
        }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write {
            ann.rootObject.friends.remove(at: 0)
            ann.name = "x"
        }
        try realm.write { ann.years = 1 }
        try await Task.sleep(for: .milliseconds(50))
        _ = (one, two, three)
        #expect(updates.first == "2" && updates.dropFirst().first == "[\"Cid\"] [0] [] []")
        #expect(names == ["years"] && results.last == 1)
    }

    @MainActor
    @Test func `key paths of the projection choose what observers are told of`() async throws {
        let temporary = try TemporaryRealm(Self.types), realm = try temporary.open()
        try Self.fill(realm)
        let people = realm.objects(NarrowProjection.self)
        let ann = try #require(people.first)
        var names: [[String]] = [], modified: [[Int]] = [], onActor: [[Int]] = []
        let one = ann.observe(keyPaths: [\.alsoName, \.name]) { change in
            if case .change(_, let properties) = change { names.append(properties.map(\.name).sorted()) }
        }
        let two = people.observe(keyPaths: [\.city, \.friendNames]) { change in
            if case .update(_, _, _, let modifications) = change { modified.append(modifications) }
        }
        let three = await people.observe(keyPaths: [\.surname], on: MainActor.shared) { _, change in
            guard case .update(_, _, _, let modifications) = change else { return }
            MainActor.assumeIsolated { onActor.append(modifications) }
        }
        let sequence = Task { @MainActor in
            var seen: [String] = []
            for await case .change(_, let properties) in ann.changes(keyPaths: [\.years]) {
                seen += properties.map(\.name)
            }
            return seen
        }
        let all = Task { @MainActor in
            var counts: [Int] = []
            for await change in people.changes(keyPaths: [\.years]) {
                guard case .update(let people, _, _, let modifications) = change else { continue }
                counts.append(modifications.count)
                if people.count < 3 { break }
            }
            return counts
        }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write { ann.name = "x" }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write { ann.years = 77 }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write { ann.rootObject.address?.city = "Ulm" }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write { ann.rootObject.lastName = "y" }
        try await Task.sleep(for: .milliseconds(50))
        try realm.write { realm.delete(ann.rootObject) }
        #expect(await sequence.value == ["years"])
        #expect(await all.value.first == 1)
        _ = (one, two, three)
        #expect(names == [["alsoName", "name"]])
        #expect(modified.first == [0] && onActor.first == [0])
    }

    /// Statement 217.
    @Test func `#Predicate of a projection takes its names and those of its object`() throws {
        try withRealm(Self.types) { realm in
            try Self.fill(realm)
            let people = realm.objects(PersonProjection.self)
            func names(_ predicate: Predicate<PersonProjection>) -> [String] { people.filter(predicate).map(\.name) }
            #expect(names(#Predicate { $0.name == "Ann" }) == ["Ann"])
            #expect(names(#Predicate { $0.years > 25 && $0.city != nil }) == ["Ann", "Cid"])
            #expect(names(#Predicate { $0.words.contains("b") }) == ["Ann"])
            #expect(names(#Predicate { $0.rootObject.firstName == "Ann" || $0.rootObject.age > 99 }) == ["Ann"])
            #expect(people.index(matching: #Predicate { $0.name == "Ann" }) == 0)
        }
    }

    /// Statement 217.
    @Test(
        """
        Differs from Realm: opening a realm throws an error that names every key path of a projection of its classes that \
        reads no property; Realm stops the program at the first use of one.
        """)
    func mistakesInProjectionsAreNamedAtOpen() throws {
        let temporary = try TemporaryRealm([MisreadPerson.self])
        let error = #expect(throws: Realm.Error.self) { try temporary.open() }
        #expect(error?.code == .invalidInput)
        let message = error?.message ?? ""
        for name in ["MisreadProjection.nick", "MisreadProjection.friendNicks", "MisreadAgain.counter"] {
            #expect(message.contains("\(name) shows nothing of MisreadPerson: "), "\(message)")
        }
        #expect(message.contains("does not lead to one persisted property of MisreadPerson; it reads []; mark what it reads"))
        #expect(!message.contains("MisreadProjection.name "), "\(message)")
        try withRealm(Self.types) { realm in #expect(realm.isEmpty, "other classes do not care") }
    }

    @Test func `a name of the projection in text is told with the name that the class has`() async throws {
        let advice = "; years of NarrowProjection, PersonProjection is age of ProjectedPerson"
        let types: [ObjectBase.Type] = [ProjectedPerson.self, ProjectedAddress.self]
        try withRealm(types) { realm in
            let people = realm.objects(PersonProjection.self)
            let error = #expect(throws: Realm.Error.self) { try people.filter(checking: "years > 3") }
            #expect(error?.message.hasSuffix("no property 'years' in ProjectedPerson\(advice)") == true)
            let other = #expect(throws: Realm.Error.self) { try people.filter(checking: "yaers > 3") }
            #expect(other?.message.hasSuffix("no property 'yaers' in ProjectedPerson") == true)
        }
        let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([ProjectedPerson.self, ProjectedAddress.self]) { realm in
                _ = realm.objects(PersonProjection.self).sorted(byKeyPath: "years")
            }
        }
        expect(sorted, says: advice)
        let root = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([ProjectedPerson.self, ProjectedAddress.self]) { realm in
                _ = realm.objects(PersonProjection.self).where { $0.rootObject.age > 2 }
            }
        }
        expect(root, says: "leave rootObject out")
    }

    @Test func `what a projection cannot do stops the program with one message`() async {
        let unwritable = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            PersonProjection(projecting: ProjectedPerson("a")).surname = "B"
        }
        expect(
            unwritable,
            saysAll: "PersonProjection.surname cannot be written: its key path to ProjectedPerson.lastName can only be "
                + "read; write the object")
        let computed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([ProjectedPerson.self, ProjectedAddress.self]) { realm in
                _ = realm.objects(PersonProjection.self).where { $0.surname == "ASH" }
            }
        }
        expect(computed, says: "is computed from 'lastName'")
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([ProjectedPerson.self, ProjectedAddress.self]) { realm in
                try realm.write { realm.add(ProjectedPerson("a")) }
                realm.objects(PersonProjection.self)[0].name = "b"
            }
        }
        expect(outside, says: "outside of a write transaction")
    }
}
