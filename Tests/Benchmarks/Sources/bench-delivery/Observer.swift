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

final class Observer: @unchecked Sendable {
    /// The time in the first line of the closure.
    typealias Delivery = (time: Int, change: Change)

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
        if case .update(_, let deletions, let insertions, let modifications) = change {
            put(time, Change(deletions: deletions, insertions: insertions, modifications: modifications))
        } else {
            put(time, Change())
        }
    }

    private func told(_ time: Int, _ change: ObjectChange<Person>) {
        if case .change(_, let properties) = change {
            put(time, Change(properties: properties.map(\.name)))
        } else {
            put(time, Change())
        }
    }

    private func put(_ time: Int, _ change: Change) {
        deliveries.withLock { $0.append((time, change)) }
        arrived.signal()
    }

    /// Waits for a delivery; nil if none comes.
    func next(within seconds: Double = 10) -> Delivery? {
        guard arrived.wait(timeout: .now() + seconds) == .success else { return nil }
        return deliveries.withLock { $0.removeFirst() }
    }

    /// Ends the observation, and checks that nothing more was told and that what was told last is there.
    func end(_ last: Step) throws {
        try queue.sync {
            token = nil
            let place = last.told.insertions.first ?? last.told.modifications.first
            let person = place.map { persons[$0] } ?? realm.person(last.assignment.id)
            let found = Assignment(kind: kind, id: person.id, value: person[keyPath: kind.property])
            guard found == last.assignment else { throw Failure("found \(found), not \(last.assignment)") }
        }
        guard let more = next(within: 0) else { return }
        throw Failure("told \(more.change) without a commit")
    }
}
