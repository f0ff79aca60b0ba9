// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
import Testing

/// What the objects of these tests were asked, in that order. The tests run one at a time.
private let asked = Mutex<[String]>([])

private func note(_ question: String) { asked.withLock { $0.append(question) } }

/// What was asked since this was called last.
private func questions() -> [String] {
    asked.withLock { all in
        defer { all = [] }
        return all
    }
}

private struct Objection: Error, Equatable {
    let why: String

    init(_ why: String) { self.why = why }
}

private final class BookedRoom: Object {
    @Persisted var name = ""
    @Persisted(originProperty: "room") var bookings: LinkingObjects<Booking>
}

private final class BookedExtra: EmbeddedObject {
    @Persisted var name = ""
}

private final class BookedNight: EmbeddedObject, ValidatedObject {
    @Persisted var price = 0
    @Persisted var extra: BookedExtra?
    @Persisted(originProperty: "nights") var booking: LinkingObjects<Booking>

    func validateCreate() throws { note("+night \(price)") }
    func validateChange(of properties: Set<String>) throws { note("=night \(price) \(properties.sorted())") }
    func validateDelete() throws {
        note("-night \(price)")
        if price < 0 { throw Objection("night \(price) of \(booking.first?.number ?? 0)") }
    }
}

private class Booking: Object, ValidatedObject {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var guests = 1
    @Persisted var note = ""
    @Persisted var isPaid = false
    @Persisted var room: BookedRoom?
    @Persisted var tags: MutableSet<Int>
    @Persisted var prices: Map<String, Int>
    @Persisted var nights: List<BookedNight>
    @Persisted var value: AnyRealmValue

    override class func propertiesMapping() -> [String: String] { ["guests": "how_many"] }

    func validate() throws {
        if guests < 1 { throw Objection("guests of \(number)") }
        guard let realm else { return }
        if !realm.objects(Booking.self).where({ $0.guests > 100 }).isEmpty { throw Objection("crowded") }
    }

    func validateCreate() throws {
        StrataTests.note("+\(number)")
        try validate()
    }

    func validateChange(of properties: Set<String>) throws {
        StrataTests.note("=\(number) \(properties.sorted())")
        try validate()
    }

    func validateDelete() throws {
        StrataTests.note("-\(number)")
        if isPaid { throw Objection("\(number) is paid") }
    }
}

/// Its methods come from the class that names the protocol, and from the protocol.
private final class Plain: Object, ValidatedObject {
    @Persisted var count = 0

    func validate() throws { if count < 0 { throw Objection("count \(count)") } }
}

private let types: [ObjectBase.Type] = [Booking.self, BookedRoom.self, BookedNight.self, BookedExtra.self]

/// Runs a body with a realm that has two bookings.
private func withBookings(_ body: (Realm, _ one: Booking, _ two: Booking) throws -> Void) throws {
    try withRealm(types) { realm in
        let (one, two) = try realm.write {
            (
                realm.create(Booking.self, value: ["number": 1, "nights": [["price": 10], ["price": 20]]]),
                realm.create(Booking.self, value: ["number": 2])
            )
        }
        _ = questions()
        try body(realm, one, two)
    }
}

/// Objects are asked before a write stores or deletes them.
@Suite(.serialized) struct ValidationTests {
    @Test func `created objects are asked at the end of the write`() throws {
        try withRealm(types) { realm in
            try realm.write {
                let booking = Booking()
                booking.guests = -1
                realm.add(booking)
                #expect(questions().isEmpty)
                booking.guests = 2
                booking.note = "changes of what the write created are no changes"
                booking.nights.append(BookedNight(value: ["price": 5]))
            }
            #expect(Set(questions()) == ["+0", "+night 5"])
            let error = #expect(throws: Objection.self) {
                try realm.write { realm.create(Booking.self, value: ["number": 7, "guests": 0]) }
            }
            #expect(error == Objection("guests of 7"))
            #expect(realm.objects(Booking.self).count == 1 && !realm.isInWriteTransaction)
        }
    }

    @Test func `changed objects are asked with the names of their properties`() throws {
        try withBookings { realm, one, two in
            try realm.write {
                one.guests = 3
                one.note = "a"
                one.note = "b"
                two.guests = 1  // as it was
            }
            #expect(questions() == [#"=1 ["guests", "note"]"#, #"=2 ["guests"]"#])
            try realm.write {
                one.tags.insert(4)
                one.prices["a"] = 5
                one.room = realm.create(BookedRoom.self)
                two.value = .string("x")
            }
            #expect(questions() == [#"=1 ["prices", "room", "tags"]"#, #"=2 ["value"]"#])
            try realm.write { one.room?.name = "who links to it is not asked" }
            try realm.write { _ = one.guests }
            #expect(questions().isEmpty)
            #expect(throws: Objection("guests of 2")) {
                try realm.write {
                    one.note = "c"
                    two.guests = 0
                }
            }
            #expect(one.note == "b" && two.guests == 1 && !one.isInvalidated)
        }
    }

    @Test func `every way of changing is seen`() throws {
        try withBookings { realm, one, _ in
            try realm.write { realm.objects(Booking.self).setValue("all", forKey: "note") }
            #expect(questions() == [#"=1 ["note"]"#, #"=2 ["note"]"#])
            try realm.write { realm.create(Booking.self, value: ["number": 1, "note": "upsert"], update: .modified) }
            #expect(questions() == [#"=1 ["note"]"#])
            try realm.write { realm.dynamicObjects("Booking").first?.setValue(9, forKey: "guests") }
            #expect(questions() == [#"=1 ["guests"]"#])
            try realm.write { _ = realm.dynamicCreate("Booking", value: ["number": 3]) }
            #expect(questions() == ["+3"])
            realm.beginWrite()
            one.guests = -2
            #expect(throws: Objection("guests of 1")) { try realm.commitWrite() }
            #expect(!realm.isInWriteTransaction && one.guests == 9)
        }
    }

    @Test func `objects that are gone at the end are not asked, cancelled writes ask nobody`() throws {
        try withBookings { realm, one, _ in
            try realm.write {
                let short = realm.create(Booking.self, value: ["number": 5, "guests": -1])
                realm.delete(short)
                one.guests = -4
                one.nights[0].price = 11
                realm.delete(one)
            }
            #expect(Set(questions()) == ["-5", "-1", "-night 11", "-night 20"])
            try realm.write {
                realm.create(Booking.self, value: ["number": 6, "guests": -1])
                realm.cancelWrite()
            }
            #expect(throws: Objection("mine")) {
                try realm.write {
                    realm.create(Booking.self, value: ["number": 6, "guests": -1])
                    throw Objection("mine")
                }
            }
            #expect(questions().isEmpty)
        }
    }

    @Test func `a change of an embedded object is one of its owner`() throws {
        try withBookings { realm, one, _ in
            try realm.write { one.nights[1].price = 21 }
            #expect(Set(questions()) == [#"=night 21 ["price"]"#, #"=1 ["nights"]"#])
            try realm.write { one.nights[0].extra = BookedExtra(value: ["name": "towels"]) }
            #expect(Set(questions()) == [#"=night 10 ["extra"]"#, #"=1 ["nights"]"#])
            try realm.write { one.nights[0].extra?.name = "soap" }
            #expect(Set(questions()) == [#"=night 10 ["extra"]"#, #"=1 ["nights"]"#])
            try realm.write {
                one.nights[0].extra?.name = "oil"
                one.guests = 2
            }
            #expect(Set(questions()) == [#"=night 10 ["extra"]"#, #"=1 ["guests", "nights"]"#])
        }
    }

    @Test func `a change far down in embedded objects is one of their owner`() throws {
        try withRealm([VisitChain.self, VisitChainLink.self]) { realm in
            let chain = try realm.write { realm.create(VisitChain.self) }
            try realm.write {
                chain.first = VisitChainLink()
                var last = chain.first
                for depth in 1..<20_000 {
                    let link = VisitChainLink()
                    link.depth = depth
                    last?.next = link
                    last = last?.next
                }
            }
            #expect(questions() == ["chain", #"chain ["first"]"#])
            try realm.write {
                var link = chain.first
                while let next = link?.next { link = next }
                link?.depth = -1
            }
            #expect(questions() == [#"chain ["first"]"#])
            try realm.write {
                var link = chain.first
                while let next = link?.next {
                    next.depth += 1
                    link = next
                }
            }
            #expect(questions() == [#"chain ["first"]"#])
        }
    }

    @Test func `properties that the class does not have are not named`() throws {
        let temporary = try TemporaryRealm([]), url = temporary.url
        let old = try Realm(configuration: .init(fileURL: url, objectTypes: [OldVisit.self, OldGuest.self]))
        func asNew<R>(_ body: @escaping @Sendable (Realm) throws -> R) throws -> R {
            try onAnotherThread {
                let types = [NewVisit.self, NewGuest.self]
                return try body(Realm(configuration: .init(fileURL: url, schemaVersion: 1, objectTypes: types)))
            }
        }
        try old.write { old.create(OldVisit.self, value: ["number": 1, "guest": ["name": "one"]]) }
        try asNew { new in
            try new.write {
                new.objects(NewVisit.self).first?.second = new.create(NewGuest.self, value: ["name": "other"])
            }
        }
        _ = questions()
        old.refresh()
        // The link that goes with its target is one that the class does not have.
        try old.write { old.delete(old.objects(OldGuest.self).where { $0.name == "other" }) }
        #expect(questions().isEmpty)
        #expect(try asNew { $0.objects(NewVisit.self).first?.second == nil })
    }

    @Test func `a validation may limit its queries`() throws {
        try withRealm([Searching.self]) { realm in
            try realm.write { for count in 0..<1000 { realm.create(Searching.self, value: [count]) } }
            #expect(questions() == Array(repeating: "stopped", count: 1000))
        }
    }

    // MARK: Deletion

    @Test func `an object that refuses to be deleted fails the write`() throws {
        try withBookings { realm, one, two in
            try realm.write { one.isPaid = true }
            _ = questions()
            #expect(throws: Objection("1 is paid")) {
                try realm.write {
                    two.note = "changed"
                    realm.delete(one)
                    realm.delete(two)
                }
            }
            #expect(questions() == ["-1"])
            #expect(two.note == "" && realm.objects(Booking.self).count == 2 && !two.isInvalidated)
            #expect(throws: Objection("1 is paid")) { try realm.write { realm.delete(realm.objects(Booking.self)) } }
            #expect(throws: Objection("1 is paid")) { try realm.write { realm.deleteAll() } }
            #expect(realm.objects(Booking.self).count == 2 && one.nights.count == 2)
            #expect(questions() == ["-1", "-1"])
            try realm.write {
                realm.objects(Booking.self).setValue(false, forKey: "isPaid")
                realm.deleteAll()
            }
            #expect(realm.isEmpty)
            #expect(Set(questions()) == ["-1", "-2", "-night 10", "-night 20"])
        }
    }

    @Test func `an embedded object can refuse to be replaced`() throws {
        try withBookings { realm, one, _ in
            try realm.write { one.nights[0].price = -5 }
            #expect(throws: Objection("night -5 of 0")) { try realm.write { one.nights[0] = BookedNight() } }
            #expect(throws: Objection("night -5 of 0")) { try realm.write { one.nights.remove(at: 0) } }
            #expect(throws: Objection("night -5 of 1")) { try realm.write { realm.delete(one) } }
            #expect(throws: Objection("night -5 of 1")) { try realm.write { realm.deleteAll() } }
            #expect(realm.objects(Booking.self).first?.nights.map(\.price) == [-5, 20])
        }
    }

    // MARK: Ways to write

    @Test func `writes of stores, actors and queues are refused with the error of the object`() async throws {
        let temporary = try TemporaryRealm(types)
        let store = try await RealmStore(configuration: temporary.configuration)
        await #expect(throws: Objection("guests of 1")) {
            try await store.write { _ = $0.create(Booking.self, value: ["number": 1, "guests": 0]) }
        }
        try await store.write { _ = $0.create(Booking.self, value: ["number": 2, "isPaid": true]) }
        await #expect(throws: Objection("2 is paid")) { try await store.write { $0.delete($0.objects(Booking.self)) } }
        try await writeOnMainActor(temporary)
        let queue = try QueueRealm(types)
        let failures = Mutex<[String]>([])
        queue.run { realm in
            for guests in [0, 1] {
                realm.writeAsync {
                    realm.create(Booking.self, value: ["number": guests, "guests": guests])
                } onComplete: { error in failures.withLock { $0.append("\(error.map { "\($0)" } ?? "done")") } }
            }
        }
        while failures.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(failures.withLock { $0 } == [#"Objection(why: "guests of 0")"#, "done"])
        #expect(queue.run { $0.objects(Booking.self).map(\.number) } == [1])
    }

    @MainActor private func writeOnMainActor(_ temporary: TemporaryRealm) async throws {
        let realm = try await Realm.open(configuration: temporary.configuration)
        await #expect(throws: Objection("guests of 3")) {
            try await realm.asyncWrite { _ = realm.create(Booking.self, value: ["number": 3, "guests": 0]) }
        }
        #expect(realm.objects(Booking.self).map(\.number) == [2])
    }

    @Test func `the methods a class does not have call validate`() throws {
        try withRealm([Plain.self]) { realm in
            let plain = try realm.write { realm.create(Plain.self) }
            #expect(throws: Objection("count -1")) { try realm.write { plain.count = -1 } }
            #expect(throws: Objection("count -2")) { try realm.write { realm.create(Plain.self, value: [-2]) } }
            #expect(throws: Objection("count -3")) { try Plain(value: [-3]).validate() }
            try realm.write { realm.delete(plain) }
            #expect(realm.isEmpty)
        }
    }

    @Test func `a realm that lacks the class asks nobody`() throws {
        try withBookings { realm, one, _ in
            let subset = Realm.Configuration(fileURL: realm.configuration.fileURL, objectTypes: [Plain.self])
            let other = try Realm(configuration: subset)
            try other.write { other.dynamicObjects("Booking").setValue(-1, forKey: "how_many") }
            realm.refresh()
            #expect(one.guests == -1 && questions().isEmpty)
        }
    }

    @Test func `a migration asks nobody`() throws {
        let temporary = try TemporaryRealm(types)
        do {
            let realm = try temporary.open()
            try realm.write { realm.create(Booking.self, value: ["number": 1, "isPaid": true]) }
        }
        _ = questions()
        var configuration = temporary.configuration
        configuration.schemaVersion = 1
        configuration.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "Booking") { _, new in
                new?["guests"] = 0
                new.map { migration.delete($0) }
            }
            migration.create("Booking", value: ["number": 2, "guests": -1])
        }
        let realm = try Realm(configuration: configuration)
        #expect(questions().isEmpty)
        #expect(realm.objects(Booking.self).map(\.guests) == [-1])
        #expect(throws: Objection("guests of 2")) { try realm.write { realm.objects(Booking.self).first?.note = "a" } }
    }

    @Test func `after more than a million changes all objects of the class are asked`() throws {
        try withBookings { realm, one, two in
            #expect(throws: Objection("guests of 2")) {
                try realm.write {
                    for round in 0..<600_000 {
                        one.prices["a"] = round
                        one.prices["b"] = round
                    }
                    two.guests = -1
                    realm.create(Booking.self, value: ["number": 3])
                }
            }
            let names = #"["guests", "isPaid", "nights", "note", "number", "prices", "room", "tags", "value"]"#
            #expect(questions().filter { !$0.contains("night ") } == ["=1 \(names)", "=2 \(names)"])
            try realm.write {
                for round in 0..<600_000 {
                    one.prices["a"] = round
                    one.prices["b"] = round
                }
                realm.create(Booking.self, value: ["number": 3])
            }
            #expect(questions().filter { !$0.contains("night ") } == ["=1 \(names)", "=2 \(names)", "+3"])
        }
    }

    // MARK: Misuse

    @Test func `a validation that changes something stops the program`() async throws {
        let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Meddling.self]) { realm in try realm.write { _ = realm.create(Meddling.self) } }
        }
        expect(
            set,
            saysAll: "Meddling.count cannot be set inside of the validation of an object, which may only read and "
                + "throw; change the object before, where the write changes it")
        let named = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Meddling.self]) { realm in try realm.write { _ = realm.create(Meddling.self, value: [4]) } }
        }
        expect(named, says: "Meddling.name cannot be set inside of the validation of an object")
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Meddling.self]) { realm in
                try realm.write { realm.delete(realm.create(Meddling.self, value: [1])) }
            }
        }
        expect(deleted, says: "Meddling cannot be deleted inside of the validation of an object")
        let cancelled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Meddling.self]) { realm in try realm.write { _ = realm.create(Meddling.self, value: [2]) } }
        }
        expect(cancelled, says: "cancelWrite() inside of the validation of an object")
        let committed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm([Meddling.self]) { realm in try realm.write { _ = realm.create(Meddling.self, value: [3]) } }
        }
        expect(committed, says: "commitWrite() inside of the validation of an object")
    }
}

private final class VisitChainLink: EmbeddedObject {
    @Persisted var depth = 0
    @Persisted var next: VisitChainLink?
}

private final class VisitChain: Object, ValidatedObject {
    @Persisted var first: VisitChainLink?

    func validateCreate() throws { note("chain") }
    func validateChange(of properties: Set<String>) throws { note("chain \(properties.sorted())") }
}

private final class OldGuest: Object {
    @Persisted var name: String
    @Persisted var visit: OldVisit?

    override class func _realmObjectName() -> String? { "VisitGuest" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class OldVisit: Object, ValidatedObject {
    @Persisted var number: Int
    @Persisted var guest: OldGuest?
    @Persisted(originProperty: "visit") var guests: LinkingObjects<OldGuest>

    func validateChange(of properties: Set<String>) throws { note("visit \(properties.sorted())") }
    override class func _realmObjectName() -> String? { "Visit" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class NewGuest: Object {
    @Persisted var name: String
    @Persisted var visit: NewVisit?

    override class func _realmObjectName() -> String? { "VisitGuest" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class NewVisit: Object {
    @Persisted var number: Int
    @Persisted var guest: NewGuest?
    @Persisted var second: NewGuest?

    override class func _realmObjectName() -> String? { "Visit" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Looks, in its validation, for longer than it may.
private final class Searching: Object, ValidatedObject {
    @Persisted var count = 0

    func validateCreate() throws {
        guard let realm else { return }
        do {
            _ = try realm.read(steps: 10) { realm.objects(Searching.self).where { $0.count > 500 }.count }
        } catch Realm.Error.interrupted {
            note("stopped")
        }
    }
}

/// Does in its validation what it must not do.
private final class Meddling: Object, ValidatedObject {
    @Persisted var count = 0
    @Persisted var name = ""

    func validateCreate() throws {
        switch count {
        case 0: count = 7
        case 4: name = "a"
        case 2: realm?.cancelWrite()
        default: try realm?.commitWrite()
        }
    }

    func validateDelete() throws { realm?.delete(self) }
}

/// Random writes: who is asked, and with which properties, is what a plain model says; a write that is refused leaves
/// everything as it was.
extension ValidationTests {
    /// What a write is expected to ask.
    private struct Expected {
        var created: Set<Int> = []
        var changed: [Int: Set<String>] = [:]
        var deleted: [Int] = []

        mutating func change(_ number: Int, _ property: String) {
            if !created.contains(number) { changed[number, default: []].insert(property) }
        }

        mutating func delete(_ number: Int) {
            deleted.append(number)
            changed[number] = nil
            created.remove(number)
        }

        var questions: Set<String> {
            Set(created.map { "+\($0)" } + changed.map { "=\($0) \($1.sorted())" } + deleted.map { "-\($0)" })
        }
    }

    private func change(
        _ realm: Realm, _ random: inout SeededGenerator, _ next: inout Int, _ expected: inout Expected
    ) {
        let all = Array(realm.objects(Booking.self))
        guard let booking = all.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0 else {
            realm.create(Booking.self, value: ["number": next])
            expected.created.insert(next)
            next += 1
            return
        }
        let number = booking.number
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            realm.delete(booking)
            expected.delete(number)
        case 1:
            booking.guests = Int.random(in: 1...3, using: &random)
            expected.change(number, "guests")
        case 2:
            booking.note = "n\(next)"
            expected.change(number, "note")
        case 3:
            booking.nights.append(BookedNight())
            expected.change(number, "nights")
        case 4:
            guard let night = booking.nights.randomElement(using: &random) else { return }
            night.price += 1
            expected.change(number, "nights")
        case 5:
            guard !booking.nights.isEmpty else { return }
            booking.nights.remove(at: Int.random(in: 0..<booking.nights.count, using: &random))
            expected.change(number, "nights")
        case 6:
            booking.prices["p\(Int.random(in: 0..<3, using: &random))"] = 1
            expected.change(number, "prices")
        case 7:
            booking.room = booking.room == nil ? realm.create(BookedRoom.self) : nil
            expected.change(number, "room")
        default:
            booking.value = .int(next)
            expected.change(number, "value")
        }
    }

    /// Everything the bookings have, as text.
    private func content(_ realm: Realm) -> [String] {
        realm.objects(Booking.self).sorted(byKeyPath: "number").map { booking in
            let keys = booking.prices.asKeyValueSequence().map { $0.key }.sorted()
            let nights = booking.nights.map(\.price)
            return "\(booking.number) \(booking.guests) \(booking.note) \(nights) \(keys) \(booking.value)"
        }
    }

    @Test func `who is asked is who was created, changed and deleted`() throws {
        let seed = testSeed("validation")
        var random = SeededGenerator(state: seed)
        var next = 1
        try withRealm(types) { realm in
            _ = questions()
            for round in 0..<400 {
                let before = content(realm)
                let isRefused = Int.random(in: 0..<4, using: &random) == 0
                var expected = Expected()
                do {
                    try realm.write {
                        for _ in 0..<Int.random(in: 0..<12, using: &random) { change(realm, &random, &next, &expected) }
                        if isRefused { realm.create(Booking.self, value: ["number": -1, "guests": 0]) }
                    }
                    #expect(!isRefused)
                    let told = questions().filter { !$0.contains("night ") }
                    #expect(told.count == Set(told).count, "round \(round), seed \(seed)")
                    #expect(Set(told) == expected.questions, "round \(round), seed \(seed)")
                } catch {
                    let isExpected = isRefused && error as? Objection == Objection("guests of -1")
                    #expect(isExpected, "round \(round), seed \(seed)")
                    #expect(content(realm) == before, "round \(round), seed \(seed)")
                    _ = questions()
                }
            }
        }
    }
}
