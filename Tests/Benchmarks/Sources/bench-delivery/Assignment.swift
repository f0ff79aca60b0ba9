// SPDX-License-Identifier: MIT
// Assignment.swift -- what a commit does: one property of one person gets a value.

import Foundation
import RealmSwift

struct Assignment: Equatable, Sendable {
    let kind: Kind
    let id: Int
    let value: Int

    /// Returns the time at which the commit had returned.
    func write(_ realm: Realm) throws -> Int {
        try realm.write { realm.person(id)[keyPath: kind.property] = value }
        return now()
    }
}

extension Assignment {
    /// What a person says of itself.
    init(_ kind: Kind, of person: Person) {
        self.init(kind: kind, id: person.id, value: person[keyPath: kind.property])
    }

    /// As another process is told.
    var line: String { "\(kind.rawValue) \(id) \(value)\n" }

    init?(line: String) {
        let words = line.split(separator: " ")
        guard words.count == 3, let kind = Kind(rawValue: String(words[0])), let id = Int(words[1]),
            let value = Int(words[2])
        else { return nil }
        self.init(kind: kind, id: id, value: value)
    }
}

/// Nanoseconds of a clock that is the same in all processes.
func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
