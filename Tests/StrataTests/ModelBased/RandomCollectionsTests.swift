// SPDX-License-Identifier: MIT
// RandomCollectionsTests.swift -- random changes of every kind of collection, compared with plain Swift collections.

import Foundation
import Strata
import Testing

final class ModelPart: EmbeddedObject {
    @Persisted var value: Int
    @Persisted var inner: ModelPart?
}

final class ModelBag: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int?>
    @Persisted var words: MutableSet<String>
    @Persisted var map: Map<String, Double?>
    @Persisted var links: Map<String, ModelBag?>
    @Persisted var friends: MutableSet<ModelBag>
    @Persisted var parts: List<ModelPart>
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted(originProperty: "links") var linkedBy: LinkingObjects<ModelBag>
    @Persisted(originProperty: "friends") var friendOf: LinkingObjects<ModelBag>
}

/// What a bag should hold; links are ids.
private struct ExpectedBag: Equatable {
    var numbers: [Int?] = []
    var words: Set<String> = []
    var map: [String: Double?] = [:]
    var links: [String: Int?] = [:]
    var friends: Set<Int> = []
    var parts: [Int] = []
    var any = ModelTree.none
    var anys: [ModelTree] = []
    var anyMap: [String: ModelTree] = [:]
}

private final class RandomCollections: RandomModel<ExpectedBag> {
    private func bag(_ id: Int) throws -> ModelBag {
        try #require(realm.object(ofType: ModelBag.self, forPrimaryKey: id))
    }

    private func number() -> Int? {
        switch below(6) {
        case 0: nil
        case 1: Int(truncatingIfNeeded: randomBits())
        default: below(300)
        }
    }

    private func word() -> String { String(repeating: "ö", count: below(20) == 0 ? below(900) : 0) + "\(below(150))" }

    private func key() -> String { "key \(below(40))" }

    // MARK: Changes

    private func create() throws {
        guard ids.count < 60 else { return }
        let id = newId()
        var expected = ExpectedBag()
        let bag = ModelBag()
        bag.id = id
        for _ in 0..<below(5) {
            let (number, word, key) = (number(), word(), key())
            expected.numbers.append(number)
            bag.numbers.append(number)
            expected.words.insert(word)
            bag.words.insert(word)
            expected.map[key] = .some(number.map(Double.init))
            bag.map.updateValue(number.map(Double.init), forKey: key)
            expected.parts.append(id)
            bag.parts.append(ModelPart(value: ["value": id]))
        }
        if let other = anyId() {
            expected.links["first"] = .some(other)
            expected.friends.insert(other)
            bag.links["first"] = try self.bag(other)
            bag.friends.insert(try self.bag(other))
        }
        realm.add(bag)
        created(id, expected)
    }

    private func editNumbers(_ bag: ModelBag, _ expected: inout [Int?]) {
        let list = bag.numbers, count = expected.count
        switch below(9) {
        case 0 where count < 3000:
            let numbers = (0..<below(700)).map { _ in number() }
            list.append(objectsIn: numbers)
            expected += numbers
        case 1, 2:
            let number = number(), index = below(count + 1)
            list.insert(number, at: index)
            expected.insert(number, at: index)
        case 3 where count > 0:
            let number = number(), index = below(count)
            list[index] = number
            expected[index] = number
        case 4 where count > 0:
            let index = below(count)
            list.remove(at: index)
            expected.remove(at: index)
        case 5 where count > 0:
            let from = below(count), to = below(count)
            list.move(from: from, to: to)
            expected.insert(expected.remove(at: from), at: to)
        case 6 where count > 0:
            let start = below(count), end = start + below(Swift.min(count - start, 200)) + 1
            let numbers = (0..<below(20)).map { _ in number() }
            list.replaceSubrange(start..<end, with: numbers)
            expected.replaceSubrange(start..<end, with: numbers)
        case 7 where count > 0:
            let first = below(count), second = below(count)
            list.swapAt(first, second)
            expected.swapAt(first, second)
        case 8 where below(20) == 0:
            list.removeAll()
            expected.removeAll()
        default:
            list.append(nil)
            expected.append(nil)
        }
    }

    private func editWords(_ bag: ModelBag, _ expected: inout Set<String>) {
        let word = word()
        switch below(6) {
        case 0:
            bag.words.remove(word)
            expected.remove(word)
        case 1 where expected.count < 800:
            let words = (0..<below(300)).map { _ in "w\(below(2000))" }
            bag.words.insert(objectsIn: words)
            expected.formUnion(words)
        case 2 where below(20) == 0:
            bag.words.removeAll()
            expected.removeAll()
        default:
            bag.words.insert(word)
            expected.insert(word)
        }
    }

    private func editMap(_ bag: ModelBag, _ expected: inout [String: Double?]) {
        let key = below(4) == 0 ? "many \(below(500))" : key()
        switch below(5) {
        case 0:
            bag.map[key] = nil
            expected[key] = nil
        case 1:
            bag.map.updateValue(nil, forKey: key)
            expected[key] = .some(nil)
        case 2 where below(20) == 0:
            bag.map.removeAll()
            expected.removeAll()
        default:
            let value = Double(below(1000)) / 8
            bag.map[key] = value
            expected[key] = value
        }
    }

    private func editLinks(_ bag: ModelBag, _ expected: inout ExpectedBag) throws {
        guard let other = anyId() else { return }
        let key = key(), target = try self.bag(other)
        switch below(6) {
        case 0:
            bag.links[key] = nil
            expected.links[key] = nil
        case 1:
            bag.links[key] = .some(nil)
            expected.links[key] = .some(nil)
        case 2:
            bag.links[key] = target
            expected.links[key] = other
        case 3:
            bag.friends.remove(target)
            expected.friends.remove(other)
        default:
            bag.friends.insert(target)
            expected.friends.insert(other)
        }
    }

    private func editParts(_ bag: ModelBag, _ expected: inout [Int]) {
        let value = below(1000), part = ModelPart(value: ["value": value, "inner": ["value": -value]])
        let count = expected.count
        switch below(5) {
        case 0 where count > 0:
            let index = below(count), old = bag.parts[index]
            bag.parts[index] = part
            expected[index] = value
            #expect(old.isInvalidated)
        case 1 where count > 0:
            let index = below(count)
            bag.parts.remove(at: index)
            expected.remove(at: index)
        case 2 where count > 1:
            bag.parts.move(from: 0, to: count - 1)
            expected.append(expected.removeFirst())
        case 3 where count > 20:
            bag.parts.removeAll()
            expected.removeAll()
        default:
            let index = below(count + 1)
            bag.parts.insert(part, at: index)
            expected.insert(value, at: index)
        }
    }

    private func editAny(_ bag: ModelBag, _ expected: inout ExpectedBag) {
        switch below(4) {
        case 0:
            editTrees(bag.anys, &expected.anys)
        case 1:
            editTrees(bag.anyMap, &expected.anyMap)
        case 2 where below(4) == 0:
            expected.any = tree(below(5))
            bag.any = expected.any.value
        default:
            _ = editTree(bag.any, &expected.any)
        }
    }

    private func copy(_ id: Int) throws {
        guard let other = anyId(), let source = objects[other] else { return }
        let target = try bag(id), bag = try bag(other)
        target.numbers = bag.numbers
        target.words = bag.words
        target.map = bag.map
        target.links = bag.links
        target.friends = bag.friends
        target.any = bag.any
        target.anys = bag.anys
        target.anyMap = bag.anyMap
        let parts = objects[id]?.parts ?? []
        objects[id] = source
        objects[id]?.parts = parts
    }

    private func delete(_ id: Int) throws {
        realm.delete(try bag(id))
        deleted(id)
        for other in ids {
            objects[other]?.friends.remove(id)
            for (key, target) in objects[other]?.links ?? [:] where target == id { objects[other]?.links[key] = .some(nil) }
        }
    }

    override func step() throws {
        guard let id = anyId(), var expected = objects[id] else { return try create() }
        let bag = try bag(id)
        switch below(100) {
        case ..<6: return try create()
        case ..<8: return try delete(id)
        case ..<10: return try copy(id)
        case ..<12: return try compare(id, expected)
        case ..<40: editNumbers(bag, &expected.numbers)
        case ..<55: editWords(bag, &expected.words)
        case ..<70: editMap(bag, &expected.map)
        case ..<82: try editLinks(bag, &expected)
        case ..<90: editAny(bag, &expected)
        default: editParts(bag, &expected.parts)
        }
        objects[id] = expected
    }

    // MARK: Comparing

    private func compare(_ id: Int, _ expected: ExpectedBag) throws {
        let bag = try bag(id)
        let actual = ExpectedBag(
            numbers: Array(bag.numbers), words: Set(bag.words),
            map: Dictionary(uniqueKeysWithValues: bag.map.asKeyValueSequence().map { ($0.key, $0.value) }),
            links: Dictionary(uniqueKeysWithValues: bag.links.asKeyValueSequence().map { ($0.key, $0.value?.id) }),
            friends: Set(bag.friends.map(\.id)), parts: bag.parts.map(\.value), any: ModelTree(bag.any),
            anys: bag.anys.map(ModelTree.init), anyMap: ModelTree.entries(bag.anyMap))
        #expect(actual == expected, "bag \(id)")
        #expect(bag.words.count == expected.words.count && bag.numbers.count == expected.numbers.count)
        if let number = pick(expected.numbers) {
            #expect(bag.numbers.index(of: number) == expected.numbers.firstIndex(of: number))
        }
        let word = word(), key = key()
        #expect(bag.words.contains(word) == expected.words.contains(word) && bag.map[key] == expected.map[key])
    }

    override func compareAll() throws {
        #expect(realm.objects(ModelBag.self).count == objects.count)
        for (id, expected) in objects { try compare(id, expected) }
        for id in ids.prefix(3) {
            let bag = try bag(id)
            let links = objects.flatMap { origin in origin.value.links.values.filter { $0 == id }.map { _ in origin.key } }
            #expect(bag.linkedBy.map(\.id).sorted() == links.sorted())
            #expect(bag.friendOf.map(\.id).sorted() == objects.filter { $0.value.friends.contains(id) }.keys.sorted())
        }
    }
}

@Suite struct RandomCollectionsTests {
    @Test func `50,000 random changes leave collections equal to those of Swift`() throws {
        try RandomCollections.run("random collections", operations: 50_000, [ModelBag.self, ModelPart.self])
    }
}
