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
private final class RandomOperations: RandomModel<Expected> {
    override var longestWrite: Int { 400 }

    private func object(_ id: Int) throws -> ModelNode {
        try #require(realm.object(ofType: ModelNode.self, forPrimaryKey: id))
    }

    // MARK: Operations

    private func create() {
        guard ids.count < 300 else { return }
        let id = newId()
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
        created(id, expected)
    }

    private func set() throws {
        guard let id = anyId() else { return }
        let node = try object(id)
        switch below(4) {
        case 0:
            let name = below(4) == 0 ? nil : String(repeating: "né", count: below(60))
            node.name = name
            objects[id]?.name = name
        case 1:
            let score = Double(below(10_000)) / 16
            node.score = score
            objects[id]?.score = score
        case 2:
            let age = Int8(below(100))
            node.age = age
            objects[id]?.age = age
        default:
            let note = Data(repeating: UInt8(below(256)), count: below(6) == 0 ? below(5000) : below(20))
            node.note = note
            objects[id]?.note = note
        }
    }

    private func link() throws {
        guard let id = anyId(), let other = anyId() else { return }
        let target = below(3) == 0 ? nil : other
        try object(id).next = target.map(object)
        objects[id]?.next = target
    }

    private func editList() throws {
        guard let id = anyId(), let other = anyId(), var friends = objects[id]?.friends else { return }
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
        objects[id]?.friends = friends
    }

    /// Adds or creates an object that is there, with values of which some are those that it has.
    private func upsert() throws {
        guard let id = anyId(), var expected = objects[id] else { return }
        let policy: Realm.UpdatePolicy = below(3) == 0 ? .all : .modified
        let friends = (0..<below(3)).compactMap { _ in anyId() }
        var given = expected
        if below(2) == 0 { given.name = below(4) == 0 ? nil : "n\(below(9))" }
        if below(2) == 0 { given.age = Int8(below(100)) }
        if below(2) == 0 { given.score = Double(below(10_000)) / 16 }
        if below(3) == 0 { given.note = Data(repeating: UInt8(below(256)), count: below(20)) }
        if below(3) == 0 { given.next = anyId() }
        if below(3) == 0 { given.friends = friends }
        if below(2) == 0 {
            let node = ModelNode()
            (node.id, node.name, node.age, node.score) = (id, given.name, given.age, given.score)
            node.note = given.note
            node.next = try given.next.map(object)
            node.friends.append(objectsIn: try given.friends.map(object))
            realm.add(node, update: policy)
            objects[id] = given
            return
        }
        var value: [String: Any] = ["id": id]
        func mention<V>(_ name: String, _ path: WritableKeyPath<Expected, V>, _ stored: Any) {
            guard below(2) == 0 else { return }
            value[name] = stored
            expected[keyPath: path] = given[keyPath: path]
        }
        mention("name", \.name, given.name ?? NSNull())
        mention("age", \.age, given.age)
        mention("score", \.score, given.score)
        mention("note", \.note, given.note)
        mention("next", \.next, try given.next.map(object) ?? NSNull())
        mention("friends", \.friends, try given.friends.map(object))
        realm.create(ModelNode.self, value: value, update: policy)
        objects[id] = expected
    }

    private func delete() throws {
        guard let id = anyId() else { return }
        let node = try object(id)
        realm.delete(node)
        #expect(node.isInvalidated)
        deleted(id)
        for other in ids {
            if objects[other]?.next == id { objects[other]?.next = nil }
            objects[other]?.friends.removeAll { $0 == id }
        }
    }

    private func look() throws {
        guard let id = anyId(), let expected = objects[id] else { return }
        try compare(id, expected)
        let age = expected.age
        #expect(
            realm.objects(ModelNode.self).where { $0.age == age }.count
                == objects.values.count { $0.age == age })
    }

    override func step() throws {
        switch below(100) {
        case ..<16: create()
        case ..<45: try set()
        case ..<55: try upsert()
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

    override func compareAll() throws {
        #expect(realm.objects(ModelNode.self).count == objects.count)
        #expect(Set(realm.objects(ModelNode.self).map(\.id)) == Set(ids))
        for (id, expected) in objects { try compare(id, expected) }
        for id in ids.prefix(3) {
            let node = try object(id)
            #expect(node.previous.map(\.id).sorted() == objects.filter { $0.value.next == id }.keys.sorted())
            let admirers = objects.flatMap { origin in
                origin.value.friends.filter { $0 == id }.map { _ in origin.key }
            }
            #expect(node.admirers.map(\.id).sorted() == admirers.sorted())
        }
    }
}

@Suite struct RandomOperationsTests {
    @Test func `200,000 random operations leave a realm equal to a dictionary`() throws {
        try RandomOperations.run("random operations", operations: 200_000, [ModelNode.self])
    }
}
