// SPDX-License-Identifier: MIT
// QueueRealm.swift -- a realm of a dispatch queue, for tests of what happens between the jobs of the queue.

import Dispatch
import Foundation
import Strata

/// A realm that belongs to a queue of its own. Jobs that the realm gives to the queue run between two calls of `run`.
final class QueueRealm: @unchecked Sendable {
    let temporary: TemporaryRealm
    let queue = DispatchQueue(label: "test.queue")
    private var realm: Realm!
    /// What observers were told. Used on the queue.
    var log: [String] = []
    var tokens: [NotificationToken] = []

    init(_ types: [ObjectBase.Type] = [Person.self, Dog.self, Everything.self]) throws {
        temporary = try TemporaryRealm(types)
        try queue.sync { realm = try Realm(configuration: temporary.configuration, queue: queue) }
    }

    var configuration: Realm.Configuration { temporary.configuration }

    @discardableResult
    func run<R>(_ body: (Realm) throws -> R) rethrows -> R { try queue.sync { try body(realm) } }

    /// Lets the jobs run that the queue has, and those that they add.
    func settle() { for _ in 0..<5 { queue.sync {} } }

    /// What was told since it was asked last.
    func told() -> [String] {
        settle()
        return queue.sync {
            defer { log = [] }
            return log
        }
    }

    /// Commits on another thread.
    @discardableResult
    func elsewhere<Result: Sendable>(_ body: @escaping @Sendable (Realm) throws -> Result) throws -> Result {
        let configuration = configuration
        return try onAnotherThread {
            let realm = try Realm(configuration: configuration)
            return try realm.write { try body(realm) }
        }
    }

    /// Lets go of everything on the queue, and checks the file.
    func close() throws {
        try queue.sync {
            tokens = []
            try realm.verify()
            realm = nil
        }
        settle()
    }
}

func withQueueRealm(
    _ types: [ObjectBase.Type] = [Person.self, Dog.self, Everything.self], _ body: (QueueRealm) throws -> Void
) throws {
    let queue = try QueueRealm(types)
    try body(queue)
    try queue.close()
}

/// What an observer of a collection was told, as text.
func text<C>(_ change: RealmCollectionChange<C>) -> String where C: RealmCollection {
    switch change {
    case .initial(let all): "initial \(all.count)"
    case .update(let all, let deletions, let insertions, let modifications):
        "\(all.count): -\(deletions) +\(insertions) ~\(modifications)"
    case .error(let error): "\(error)"
    }
}

/// What an observer of a map was told, as text.
func text<K, V>(_ change: RealmMapChange<Map<K, V>>) -> String {
    switch change {
    case .initial(let map): "initial \(map.count)"
    case .update(let map, let deletions, let insertions, let modifications):
        "\(map.count): -\(deletions) +\(insertions) ~\(modifications)"
    case .error(let error): "\(error)"
    }
}

/// What an observer of an object was told, as text.
func text<T>(_ change: ObjectChange<T>) -> String {
    switch change {
    case .change(_, let properties):
        properties.map { property in
            "\(property.name): \(property.oldValue.map { "\($0)" } ?? "nil") -> "
                + (property.newValue.map { "\($0)" } ?? "nil")
        }.joined(separator: ", ")
    case .deleted: "deleted"
    case .error(let error): "\(error)"
    }
}

/// What an observer of sections, or of one of them, was told, as text.
func text<C>(_ change: SectionedResultsChange<C>) -> String {
    switch change {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications, let come, let gone):
        "-\(deletions.map { [$0[0], $0[1]] }) +\(insertions.map { [$0[0], $0[1]] }) "
            + "~\(modifications.map { [$0[0], $0[1]] }) sections +\(Array(come)) -\(Array(gone))"
    }
}
