// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// A class as one program knows it.
final class EarlierHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var height: Int
    @Persisted(indexed: true) var name: String
    @Persisted var owner: String?
    @Persisted var rooms: List<Int>

    override class func _realmObjectName() -> String? { "ChangingHouse" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same class as a later version of the program knows it: without heights, with floors and another order.
final class LaterHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var floors: Int
    @Persisted var rooms: List<Int>
    @Persisted var owner: String?
    @Persisted var name: String
    @Persisted var next: LaterHouse?

    override class func _realmObjectName() -> String? { "ChangingHouse" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a running session sees when another process changes the schema: columns keep their numbers.
@Suite struct SchemaChangeTests {
    private func changeElsewhere(_ url: URL) async {
        await #expect(processExitsWith: .success) { [path = url.path as String] in
            let configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), schemaVersion: 1, objectTypes: [LaterHouse.self])
            let realm = try Realm(configuration: configuration)
            try realm.write {
                for house in realm.objects(LaterHouse.self) { house.floors = house.id + 10 }
                realm.create(
                    LaterHouse.self, value: ["id": 9, "floors": 3, "name": "late", "owner": "you", "rooms": [7]])
            }
        }
    }

    @Test func `properties that stay are read, found and written by a session that began before`() async throws {
        let temporary = try TemporaryRealm([EarlierHouse.self])
        do {
            let realm = try temporary.open()
            try realm.write {
                for id in 1...3 {
                    let values: [String: Any] = ["id": id, "height": id * 5, "name": "n\(id)", "owner": "o", "rooms": [id]]
                    realm.create(EarlierHouse.self, value: values)
                }
            }
        }
        await changeElsewhere(temporary.url)
        #expect(throws: Realm.Error.self) { try temporary.open() }
    }

    /// Without suspension points, because a realm belongs to one thread.
    private func hold(_ temporary: TemporaryRealm, _ change: () -> Void) throws {
        let realm = try temporary.open()
        try realm.write {
            for id in 1...3 {
                let values: [String: Any] = ["id": id, "height": id * 5, "name": "n\(id)", "owner": "o", "rooms": [id]]
                realm.create(EarlierHouse.self, value: values)
            }
        }
        let houses = realm.objects(EarlierHouse.self), first = houses[0]
        let named = houses.where { $0.name == "late" }, sorted = houses.sorted(by: \.name, ascending: false)
        #expect(named.isEmpty && sorted.map(\.id) == [3, 2, 1] && first.rooms.count == 1)
        change()
        realm.refresh()
        #expect(named.map(\.id) == [9] && named.first?.owner == "you" && named.first.map { Array($0.rooms) } == [7])
        #expect(sorted.map(\.id) == [3, 2, 1, 9] && first.name == "n1" && first.owner == "o")
        #expect(houses.filter("ANY rooms == 2").map(\.id) == [2] && houses.where { $0.name == "n2" }.explain().usesIndex == false)
        try realm.write {
            first.name = "changed"
            first.rooms.append(4)
            realm.create(EarlierHouse.self, value: ["id": 5, "name": "new"])
        }
        #expect(houses.where { $0.name.in(["changed", "new"]) }.map(\.id) == [1, 5] && Array(first.rooms) == [1, 4])
        try realm.verify()
    }

    @Test func `a running session goes on`() async throws {
        let temporary = try TemporaryRealm([EarlierHouse.self])
        let (ready, changed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let result = Mutexed<Result<Void, any Error>?>(nil)
        let url = temporary.url
        nonisolated(unsafe) let shared = temporary
        Thread.detachNewThread {
            let outcome = Result {
                try self.hold(shared) {
                    ready.signal()
                    changed.wait()
                }
            }
            result.set(outcome)
            ready.signal()
        }
        await wait(ready)
        await changeElsewhere(url)
        changed.signal()
        await wait(ready)
        try result.value?.get()
    }

    private func wait(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}

/// A value that several threads set.
private final class Mutexed<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var held: Value

    init(_ value: Value) { held = value }

    var value: Value { lock.withLock { held } }
    func set(_ value: Value) { lock.withLock { held = value } }
}
