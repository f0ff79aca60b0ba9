// SPDX-License-Identifier: MIT
import Foundation
import Strata
import Testing

final class ModelNode: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String?
    @Persisted(indexed: true) var age: Int8
    @Persisted var score: Double
    @Persisted var note: Data
    @Persisted var next: ModelNode?
    @Persisted var friends: List<ModelNode>
    @Persisted(originProperty: "next") var previous: LinkingObjects<ModelNode>
    @Persisted(originProperty: "friends") var admirers: LinkingObjects<ModelNode>
}

/// What a node should hold; links are ids.
private struct Expected: Equatable {
    var name: String?
    var age: Int8 = 0
    var score = 0.0
    var note = Data()
    var next: Int?
    var friends: [Int] = []
}

/// Random operations on a realm and on a dictionary, compared as they go.
private final class RandomOperations {
    private var random: SeededGenerator
    private let configuration: Realm.Configuration
    private var realm: Realm
    private var nodes: [Int: Expected] = [:]
    private var committed: [Int: Expected] = [:]
    private var ids: [Int] = []
    private var nextId = 0
    private(set) var operations = 0

    init(seed: UInt64, configuration: Realm.Configuration) throws {
        random = SeededGenerator(state: seed)
        self.configuration = configuration
        realm = try Realm(configuration: configuration)
    }

    private func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private func object(_ id: Int) throws -> ModelNode {
        try #require(realm.object(ofType: ModelNode.self, forPrimaryKey: id))
    }

    private func anyId() -> Int? { ids.randomElement(using: &random) }

    // MARK: Operations

    private func create() {
        guard ids.count < 300 else { return }
        let id = nextId
        nextId += 1
        var expected = Expected()
        let node = ModelNode()
        node.id = id
        expected.age = Int8(below(100))
        node.age = expected.age
        if below(2) == 0, let other = anyId() {
            expected.next = other
            node.next = realm.object(ofType: ModelNode.self, forPrimaryKey: other)
        }
        realm.add(node)
        #expect(node.realm != nil)
        nodes[id] = expected
        ids.append(id)
    }

    private func set() throws {
        guard let id = anyId() else { return }
        let node = try object(id)
        switch below(4) {
        case 0:
            let name = below(4) == 0 ? nil : String(repeating: "né", count: below(60))
            node.name = name
            nodes[id]?.name = name
        case 1:
            let score = Double(below(10_000)) / 16
            node.score = score
            nodes[id]?.score = score
        case 2:
            let age = Int8(below(100))
            node.age = age
            nodes[id]?.age = age
        default:
            let note = Data(repeating: UInt8(below(256)), count: below(6) == 0 ? below(5000) : below(20))
            node.note = note
            nodes[id]?.note = note
        }
    }

    private func link() throws {
        guard let id = anyId(), let other = anyId() else { return }
        let target = below(3) == 0 ? nil : other
        try object(id).next = target.map(object)
        nodes[id]?.next = target
    }

    private func editList() throws {
        guard let id = anyId(), let other = anyId(), var friends = nodes[id]?.friends else { return }
        let list = try object(id).friends
        let target = try object(other)
        switch below(6) {
        case 0, 1:
            list.append(target)
            friends.append(other)
        case 2:
            let index = below(friends.count + 1)
            list.insert(target, at: index)
            friends.insert(other, at: index)
        case 3 where !friends.isEmpty:
            let index = below(friends.count)
            list[index] = target
            friends[index] = other
        case 4 where !friends.isEmpty:
            let from = below(friends.count), to = below(friends.count)
            list.move(from: from, to: to)
            friends.insert(friends.remove(at: from), at: to)
        case 5 where !friends.isEmpty && below(20) == 0:
            list.removeAll()
            friends.removeAll()
        default:
            guard !friends.isEmpty else { return }
            let index = below(friends.count)
            list.remove(at: index)
            friends.remove(at: index)
        }
        nodes[id]?.friends = friends
    }

    private func delete() throws {
        guard let id = anyId() else { return }
        let node = try object(id)
        realm.delete(node)
        #expect(node.isInvalidated)
        nodes[id] = nil
        ids.removeAll { $0 == id }
        for other in ids {
            if nodes[other]?.next == id { nodes[other]?.next = nil }
            nodes[other]?.friends.removeAll { $0 == id }
        }
    }

    private func look() throws {
        guard let id = anyId(), let expected = nodes[id] else { return }
        try compare(id, expected)
        let age = expected.age
        #expect(
            realm.objects(ModelNode.self).where { $0.age == age }.count
                == nodes.values.count { $0.age == age })
    }

    private func step() throws {
        operations += 1
        switch below(100) {
        case ..<16: create()
        case ..<55: try set()
        case ..<70: try link()
        case ..<90: try editList()
        case ..<96: try delete()
        default: try look()
        }
    }

    // MARK: Comparing

    private func compare(_ id: Int, _ expected: Expected) throws {
        let node = try object(id)
        let actual = Expected(
            name: node.name, age: node.age, score: node.score, note: node.note, next: node.next?.id,
            friends: node.friends.map(\.id))
        #expect(actual == expected, "node \(id)")
    }

    private func compareAll() throws {
        #expect(realm.objects(ModelNode.self).count == nodes.count)
        #expect(Set(realm.objects(ModelNode.self).map(\.id)) == Set(ids))
        for (id, expected) in nodes { try compare(id, expected) }
        for id in ids.prefix(3) {
            let node = try object(id)
            #expect(node.previous.map(\.id).sorted() == nodes.filter { $0.value.next == id }.keys.sorted())
            let admirers = nodes.flatMap { origin in
                origin.value.friends.filter { $0 == id }.map { _ in origin.key }
            }
            #expect(node.admirers.map(\.id).sorted() == admirers.sorted())
        }
    }

    // MARK: Transactions

    private func transaction() throws {
        realm.beginWrite()
        for _ in 0..<below(400) { try step() }
        if below(5) == 0 {
            realm.cancelWrite()
            nodes = committed
            ids = committed.keys.sorted()
        } else {
            try realm.commitWrite()
            committed = nodes
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

    func run(operations wanted: Int) throws {
        while operations < wanted { try transaction() }
        try compareAll()
    }
}

@Suite struct RandomOperationsTests {
    /// STRATA_TEST_SEED repeats a run that failed.
    @Test func `200,000 random operations leave a realm equal to a dictionary`() throws {
        let given = ProcessInfo.processInfo.environment["STRATA_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 1...UInt64.max)
        print("random operations: seed \(seed); repeat with STRATA_TEST_SEED=\(seed)")
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let configuration = Realm.Configuration(
            fileURL: directory.appendingPathComponent("random.realm"), objectTypes: [ModelNode.self])
        let run = try RandomOperations(seed: seed, configuration: configuration)
        try run.run(operations: 200_000)
        #expect(run.operations >= 200_000, "seed \(seed)")
    }
}
