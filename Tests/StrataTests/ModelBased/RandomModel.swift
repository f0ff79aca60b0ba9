// SPDX-License-Identifier: MIT
// RandomModel.swift -- random changes of a realm and of plain Swift values that say what it should hold.

import Foundation
import Strata
import Testing

/// Objects with numbers as primary keys, and what each should hold. Subclasses say how they change and compare.
class RandomModel<Expected> {
    private(set) var random: SeededGenerator
    private let configuration: Realm.Configuration
    private(set) var realm: Realm
    var objects: [Int: Expected] = [:]
    private var committed: [Int: Expected] = [:]
    private(set) var ids: [Int] = []
    private var nextId = 0
    private var operations = 0

    required init(seed: UInt64, configuration: Realm.Configuration) throws {
        random = SeededGenerator(state: seed)
        self.configuration = configuration
        realm = try Realm(configuration: configuration)
    }

    /// One random operation, inside of a write.
    func step() throws {}

    /// Compares everything.
    func compareAll() throws {}

    /// How many operations one write has at most.
    var longestWrite: Int { 300 }

    // MARK: For subclasses

    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    func randomBits() -> UInt64 { random.next() }

    func anyId() -> Int? { ids.randomElement(using: &random) }

    func pick<C: Collection>(_ elements: C) -> C.Element? { elements.randomElement(using: &random) }

    func newId() -> Int {
        defer { nextId += 1 }
        return nextId
    }

    func created(_ id: Int, _ expected: Expected) {
        objects[id] = expected
        ids.append(id)
    }

    func deleted(_ id: Int) {
        objects[id] = nil
        ids.removeAll { $0 == id }
    }

    // MARK: Transactions

    private func transaction() throws {
        realm.beginWrite()
        for _ in 0..<below(longestWrite) {
            operations += 1
            try step()
        }
        if below(5) == 0 {
            realm.cancelWrite()
            objects = committed
            ids = committed.keys.sorted()
        } else {
            try realm.commitWrite()
            committed = objects
        }
        try realm.verify()
        if below(10) == 0 { try compareAll() }
        if below(25) == 0 {
            let elsewhere = Realm.Configuration(inMemoryIdentifier: "elsewhere", objectTypes: configuration.objectTypes)
            realm = try Realm(configuration: elsewhere)
            realm = try Realm(configuration: configuration)
            try compareAll()
        }
    }

    /// Runs at least that many operations on a new file. STRATA_TEST_SEED repeats a run that failed.
    static func run(_ name: String, operations wanted: Int, _ types: [ObjectBase.Type]) throws {
        let seed = testSeed(name)
        let temporary = try TemporaryRealm(types)
        let model = try Self(seed: seed, configuration: temporary.configuration)
        while model.operations < wanted { try model.transaction() }
        try model.compareAll()
        #expect(model.operations >= wanted, "seed \(seed)")
    }
}
