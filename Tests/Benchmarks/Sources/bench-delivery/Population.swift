// SPDX-License-Identifier: MIT
// Population.swift -- a file of persons, and what has to be told of a change in it.

import Foundation
import RealmSwift

/// Persons whose ids ascend in the order of the table; those with a score above a limit, about half of them, are members
/// of the results. Keys are random and so many that no two are equal.
final class Population {
    static let score = 0.5
    let file: URL
    let count: Int
    /// In the order of the table.
    private var members: [(id: Int, key: Int)] = []
    /// The keys of the members, ascending.
    private var keys: [Int] = []

    init(_ count: Int, in folder: URL, _ random: inout SeededNumbers) throws {
        file = folder.appending(path: "\(count).realm")
        self.count = count
        let realm = try Realm.open(file)
        try realm.write {
            for id in 0..<count {
                let person = Person(id: id, score: .random(in: 0..<1, using: &random), key: random.number())
                realm.add(person)
                if person.score > Self.score { members.append((id, person.key)) }
            }
        }
        keys = members.map(\.key).sorted()
    }

    func member(_ random: inout SeededNumbers) -> Int { members.randomElement(using: &random)!.id }

    /// What happens next, and what an observer should be told of it; one of an object observes `person`.
    func step(_ kind: Kind, of person: Int, _ random: inout SeededNumbers) -> Step {
        let place = members.indices.randomElement(using: &random)!
        let id = members[place].id
        switch kind {
        case .results:
            return Step(Assignment(kind: kind, id: id, value: random.number()), Change(modifications: [place]))
        case .sorted:
            let told = move(place, &random)
            return Step(Assignment(kind: kind, id: id, value: members[place].key), told)
        case .object:
            return Step(Assignment(kind: kind, id: person, value: random.number()), Change(properties: ["created"]))
        }
    }

    /// Gives a member a key with which it stands somewhere else.
    private func move(_ place: Int, _ random: inout SeededNumbers) -> Change {
        let from = rank(of: members[place].key)
        keys.remove(at: from)
        repeat { members[place].key = random.number() } while rank(of: members[place].key) == from
        let to = rank(of: members[place].key)
        keys.insert(members[place].key, at: to)
        return Change(deletions: [from], insertions: [to])
    }

    /// How many keys are below this one.
    private func rank(of key: Int) -> Int {
        var range = keys.startIndex..<keys.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = keys[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

struct Step {
    let assignment: Assignment
    let told: Change

    init(_ assignment: Assignment, _ told: Change) { (self.assignment, self.told) = (assignment, told) }
}
