// SPDX-License-Identifier: MIT
// Observer.swift -- observes on a queue, and keeps what it is told.

import Foundation
import RealmSwift
import Synchronization

/// What an observer is told: positions of results, or properties of an object.
struct Change: Equatable, Sendable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var properties: [String] = []
}

/// A call of the closure.
struct Delivery: Sendable {
    /// In its first line.
    let time: Int
    let change: Change
    /// The object that was told of, as it is found at its position in the results, and the nanoseconds that took.
    var found: Assignment?
    var reading = 0
}

final class Observer: @unchecked Sendable {

    let queue: DispatchQueue
    private let kind: Kind
    // Used on the queue.
    private(set) var realm: Realm!
    private var persons: Results<Person>!
    private var token: NotificationToken?
    private let deliveries = Mutex<[Delivery]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Returns when the observation has begun.
    init(_ kind: Kind, of person: Int, in file: URL, on queue: DispatchQueue) throws {
        self.queue = queue
        self.kind = kind
        try queue.sync {
            realm = try Realm.open(file, queue)
            persons = kind == .sorted ? realm.members.sorted(by: \.key) : realm.members
            token =
                if kind == .object {
                    realm.person(person).observe { [unowned self] in told(now(), $0) }
                } else {
                    persons.observe { [unowned self] in told(now(), $0) }
                }
        }
        guard kind == .object || next()?.change == Change() else { throw Failure("not told what there is at first") }
    }

    private func told(_ time: Int, _ change: RealmCollectionChange<Results<Person>>) {
        guard case .update(let persons, let deletions, let insertions, let modifications) = change else {
            return put(Delivery(time: time, change: Change()))
        }
        let change = Change(deletions: deletions, insertions: insertions, modifications: modifications)
        var delivery = Delivery(time: time, change: change)
        if let place = insertions.first ?? modifications.first {
            let begun = now()
            delivery.found = Assignment(kind, of: persons[place])
            delivery.reading = now() - begun
        }
        put(delivery)
    }

    private func told(_ time: Int, _ change: ObjectChange<Person>) {
        guard case .change(let person, let properties) = change else {
            return put(Delivery(time: time, change: Change()))
        }
        let change = Change(properties: properties.map(\.name))
        put(Delivery(time: time, change: change, found: Assignment(kind, of: person)))
    }

    private func put(_ delivery: Delivery) {
        deliveries.withLock { $0.append(delivery) }
        arrived.signal()
    }

    /// Waits for a delivery; nil if none comes.
    func next(within seconds: Double = 10) -> Delivery? {
        guard arrived.wait(timeout: .now() + seconds) == .success else { return nil }
        return deliveries.withLock { $0.removeFirst() }
    }

    /// Ends the observation, and checks that nothing more was told.
    func end() throws {
        queue.sync { token = nil }
        guard let more = next(within: 0) else { return }
        throw Failure("told \(more.change) without a commit")
    }
}
