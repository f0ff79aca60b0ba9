// SPDX-License-Identifier: MIT
// StrataPeer.swift -- Strata through its Swift interface: live objects, as a program uses them.

import Foundation
import RealmSwift
import Workload

var strataSwiftPeer: bench_peer {
    makePeer("strata-swift", "Strata Swift", share: 1) { folder, n in
        must { retained(try StrataPeer(folder: String(cString: folder!), n: n)) }
    }
}

/// A realm on this thread, and the objects that a workload knows already when the clock starts.
final class StrataPeer: SwiftPeer {
    private(set) var realm: Realm!
    private var durability = Realm.Configuration.Durability.full
    private var prepared: bench_workload?
    /// In the order in which the workload uses them, some more than once.
    private(set) var persons: [Person] = []
    private(set) var plainPersons: [PlainPerson] = []
    var dogs: [Dog] = []
    var series: Series?
    var token: NotificationToken?
    /// What the observer was told of.
    var modifications = 0

    override init(folder: String, n: UInt64) throws {
        realm = try Self.open(folder)
        try super.init(folder: folder, n: n)
    }

    static func open(_ folder: String, _ durability: Realm.Configuration.Durability = .full) throws -> Realm {
        let file = URL(fileURLWithPath: folder + "/bench.realm")
        return try Realm(
            configuration: .init(
                fileURL: file, objectTypes: [Dog.self, Person.self, Series.self], durability: durability))
    }

    /// All realms of a file agree on that: the old one is closed first.
    private func reopen(_ durability: Realm.Configuration.Durability) {
        guard durability != self.durability else { return }
        forget()
        series = nil
        prepared = nil
        realm = nil
        realm = must { try Self.open(folder, durability) }
        self.durability = durability
    }

    private func forget() {
        persons = []
        plainPersons = []
        dogs = []
    }

    var all: Results<Person> { realm.objects(Person.self) }

    private static func durability(of workload: bench_workload) -> Realm.Configuration.Durability {
        switch workload {
        case BENCH_LOGGED_COMMIT, BENCH_WRITERS_COMMIT: .logged
        case BENCH_RELAXED_COMMIT: .deferred
        case BENCH_OBSERVE_CHANGE: .relaxed
        default: .full
        }
    }

    override func prepare(_ workload: bench_workload, _ count: UInt64) {
        token = nil
        reopen(Self.durability(of: workload))
        defer { if workload == BENCH_OBSERVE_CHANGE { countModifications() } }
        if workload == BENCH_LIST_APPEND { clearList() }
        // All rounds of a workload use the same objects.
        guard workload != prepared else { return }
        prepared = workload
        forget()
        switch workload {
        case BENCH_BACKLINKS: dogs = Array(realm.objects(Dog.self))
        case BENCH_FRESH_STRING: break
        case BENCH_PLAIN:
            let indices = knownPersons(BENCH_PROPERTY, n, count) ?? []
            plainPersons = indices.map { PlainPerson(bench_make_person(n, UInt64($0))) }
        default: persons = realm.persons(knownPersons(workload, n, count) ?? [])
        }
    }

    override func run(_ workload: bench_workload, _ count: UInt64) throws -> Double {
        switch workload {
        case BENCH_BULK_INSERT: try insertAll()
        case BENCH_LOOKUP: lookUp(count)
        case BENCH_OWN_STRING: Double(readNames(persons))
        case BENCH_LONG_STRING: readEmails()
        case BENCH_LINK_STRING: readLinkedStrings()
        case BENCH_BACKLINKS: countBacklinks()
        case BENCH_PROPERTY: readProperty(count)
        case BENCH_PLAIN: readPlainProperty(count)
        case BENCH_SCAN_DOUBLE: Double(all.where { $0.score > BENCH_SCORE }.count)
        case BENCH_SCAN_EQUAL: countName(bench_make_person(n, bench_wanted(n)).nameText)
        case BENCH_SCAN_CONTAINS: Double(all.where { $0.name.contains(BENCH_PART) }.count)
        case BENCH_ITERATE: iterate()
        case BENCH_SUM: all.sum(of: \.score)
        case BENCH_INDEX_COUNT: countAges(count)
        case BENCH_INDEX_VISIT: visitAge()
        case BENCH_INDEX_RANGE: countRange(count)
        case BENCH_SORT: sumOfRanks(all.sorted(by: \.score))
        case BENCH_TOP: sumOfRanks(all.sorted(by: \.score).limit(BENCH_FIRST))
        case BENCH_UPDATE_SCORES: try updateScores()
        case BENCH_UPDATE_AGES: try updateAges()
        case BENCH_DELETE: try deletePersons()
        case BENCH_COMMIT, BENCH_LOGGED_COMMIT, BENCH_RELAXED_COMMIT: try commitPersons(count)
        case BENCH_WRITERS_COMMIT: commitTogether(count)
        case BENCH_OBSERVE: observeFirst()
        case BENCH_OBSERVE_CHANGE: try observeChanges()
        case BENCH_LIST_APPEND: try appendElements(count)
        case BENCH_LIST_GET: getElements(count)
        case BENCH_LIST_INSERT: try insertElements(count)
        default: .nan
        }
    }

    override func makeReader(_ workload: bench_workload, _ count: UInt64) throws -> SwiftReader {
        try StrataReader(folder, n, knows: workload == BENCH_FRESH_STRING ? count : 0)
    }
}

extension Realm {
    /// A live object for each of the indices, at random places in memory.
    fileprivate func persons(_ indices: [Int]) -> [Person] {
        var found = [Person?](repeating: nil, count: indices.count)
        spread(indices) { operation, index in
            found[operation] = object(ofType: Person.self, forPrimaryKey: Int(bench_person_id(UInt64(index))))
        }
        return found.map { $0! }
    }
}

/// A realm of its own for a thread that reads while another one writes.
final class StrataReader: SwiftReader {
    private let realm: Realm
    private let n: UInt64
    /// Whose names it reads; it looks up others by their ids if it knows none.
    private let persons: [Person]

    init(_ folder: String, _ n: UInt64, knows count: UInt64) throws {
        realm = try StrataPeer.open(folder)
        self.n = n
        persons = realm.persons(knownPersons(BENCH_FRESH_STRING, n, count) ?? [])
    }

    override func batch(from: UInt64, count: UInt64) -> UInt64 {
        realm.refresh()
        if !persons.isEmpty { return UInt64(readNames(persons[Int(from)..<Int(from + count)])) }
        var sum = 0
        for j in from..<from + count {
            let id = Int(bench_person_id(bench_choose(STREAM_LOOKUP, n, j)))
            if let person = realm.object(ofType: Person.self, forPrimaryKey: id) { sum &+= person.age }
        }
        return UInt64(sum)
    }
}
