// SPDX-License-Identifier: MIT
// RolledBackObjectsTests.swift -- objects of writes that were rolled back, whose keys other objects get.

import CAllocationCount
import Foundation
import Strata
import Testing

private final class Numbered: Object {
    @Persisted var number = 0

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

private struct TakenBack: Error {}

struct RolledBackObjectsTests {
    @Test func `objects of writes that were rolled back are gone for ever, all others stay what they are`() throws {
        let seed = testSeed("rolled back objects")
        var random = SeededGenerator(state: seed)
        let temporary = try TemporaryRealm([Numbered.self])
        let configuration = temporary.configuration
        let realm = try temporary.open()
        var held: [(object: Numbered, number: Int?)] = []
        var next = 0

        func create(_ count: Int, isKept: Bool) throws {
            var objects: [Numbered] = []
            try? realm.write {
                for _ in 0..<count {
                    next += 1
                    let object = Numbered(next)
                    realm.add(object)
                    objects.append(object)
                }
                if !isKept { throw TakenBack() }
            }
            held += objects.map { ($0, isKept ? $0.number : nil) }
        }

        func delete() throws {
            guard let number = held.randomElement(using: &random)?.number else { return }
            try realm.write { realm.delete(realm.objects(Numbered.self).where { $0.number == number }) }
            for index in held.indices where held[index].number == number { held[index].number = nil }
        }

        func createElsewhere() throws {
            let number = next + 1
            next = number
            try onAnotherThread {
                let other = try Realm(configuration: configuration)
                try other.write { other.add(Numbered(number)) }
            }
            realm.refresh()
            held += realm.objects(Numbered.self).where { $0.number == number }.map { ($0, number) }
        }

        for _ in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: try create(Int.random(in: 1...3, using: &random), isKept: false)
            case 4..<7: try create(Int.random(in: 1...3, using: &random), isKept: true)
            case 7: try delete()
            case 8: try createElsewhere()
            default: held += realm.objects(Numbered.self).map { ($0, $0.number) }.shuffled(using: &random).prefix(3)
            }
            for (object, number) in held.shuffled(using: &random).prefix(50) {
                #expect(object.isInvalidated == (number == nil), "seed \(seed)")
                if !object.isInvalidated { #expect(object.number == number, "seed \(seed)") }
            }
        }
        #expect(held.contains { $0.number == nil } && held.contains { $0.number != nil })
    }

    @Test func `behind an invalidation, new objects with keys of objects that were rolled back are there`() throws {
        try withRealm([Numbered.self]) { realm in
            let gone = Numbered(1)
            realm.beginWrite()
            realm.add(gone)
            realm.cancelWrite()
            realm.invalidate()
            let there = Numbered(2)
            try realm.write { realm.add(there) }
            #expect(gone.isInvalidated && !there.isInvalidated && there.number == 2)
        }
    }

    @Test func `writes that are rolled back again and again take no memory`() async {
        await #expect(processExitsWith: .success) {
            try withRealm([Numbered.self]) { realm in
                func fail() { try? realm.write { realm.add(Numbered(1)); throw TakenBack() } }
                for _ in 0..<100 { fail() }
                let before = Int(allocated_bytes())
                for _ in 0..<5000 { fail() }
                let more = Int(allocated_bytes()) - before
                if more > 8192 { preconditionFailure("\(more) bytes more") }
            }
        }
    }
}
