// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Synchronization
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

/// A later version that knows all of the earlier one, and more.
final class WiderHouse: Object {
    @Persisted var floors: Int
    @Persisted var next: WiderHouse?
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var rooms: List<Int>
    @Persisted var owner: String?
    @Persisted var height: Int

    override class func _realmObjectName() -> String? { "ChangingHouse" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a running session sees when another process changes the schema: columns keep their numbers.
@Suite struct SchemaChangeTests {
    /// Waits for a semaphore on a thread of its own.
    private func wait(_ semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    /// Runs a body on a thread, which a realm belongs to, with another process in the middle.
    private func run(
        _ between: (URL) async -> Void, _ body: @escaping @Sendable (URL, () -> Void) throws -> Void
    ) async throws {
        let temporary = try TemporaryRealm([EarlierHouse.self]), url = temporary.url
        let (ready, changed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let result = Mutex<Result<Void, any Error>?>(nil)
        Thread.detachNewThread {
            let outcome = Result {
                try body(url) {
                    ready.signal()
                    changed.wait()
                }
            }
            result.withLock { $0 = outcome }
            ready.signal()
        }
        await wait(ready)
        await between(url)
        changed.signal()
        await wait(ready)
        try result.withLock { try $0?.get() }
    }

    private static func open(_ url: URL) throws -> Realm {
        let realm = try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: [EarlierHouse.self]))
        try realm.write {
            for id in 1...3 {
                let rooms = [id], name = "n\(id)"
                realm.create(
                    EarlierHouse.self,
                    value: ["id": id, "height": id * 5, "name": name, "owner": "o", "rooms": rooms] as [String: Any])
            }
        }
        return realm
    }

    @Test func `a session goes on when properties are added`() async throws {
        try await run { url in
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let configuration = Realm.Configuration(
                    fileURL: URL(fileURLWithPath: path), schemaVersion: 1, objectTypes: [WiderHouse.self])
                let realm = try Realm(configuration: configuration)
                try realm.write {
                    for house in realm.objects(WiderHouse.self) { house.floors = house.id + 10 }
                    let late: [String: Any] = ["id": 9, "floors": 3, "name": "late", "owner": "you", "rooms": [7]]
                    realm.create(WiderHouse.self, value: late)
                }
            }
        } _: { url, change in
            let realm = try Self.open(url)
            let houses = realm.objects(EarlierHouse.self), first = houses[0]
            let late = houses.where { $0.name == "late" }, sorted = houses.sorted(by: \.name, ascending: false)
            #expect(late.isEmpty && sorted.map(\.id) == [3, 2, 1] && first.rooms.count == 1)
            for id in 0...4 { #expect(houses.where { $0.id > id && $0.height >= 10 }.count == min(2, max(0, 3 - id))) }
            change()
            realm.refresh()
            for id in 0...4 { #expect(houses.where { $0.id > id && $0.height >= 10 }.count == min(2, max(0, 3 - id))) }
            #expect(late.map(\.id) == [9] && late.first?.owner == "you" && late.first.map { Array($0.rooms) } == [7])
            #expect(sorted.map(\.id) == [3, 2, 1, 9] && first.name == "n1" && first.height == 5 && first.owner == "o")
            #expect(houses.filter("ANY rooms == 2").map(\.id) == [2] && houses.sum(of: \.height) == 30)
            try realm.write {
                first.name = "changed"
                first.rooms.append(4)
                realm.create(EarlierHouse.self, value: ["id": 5, "name": "new"])
            }
            #expect(houses.where { $0.name.in(["changed", "new"]) }.map(\.id) == [1, 5] && Array(first.rooms) == [1, 4])
            let dynamic = realm.dynamicObjects("ChangingHouse")
            #expect(dynamic.count == 5)
            try realm.verify()
        }
    }

    @Test func `a session that lost a property reads on and writes no more`() async throws {
        try await run { url in
            await #expect(processExitsWith: .success) { [path = url.path as String] in
                let configuration = Realm.Configuration(
                    fileURL: URL(fileURLWithPath: path), schemaVersion: 1, objectTypes: [LaterHouse.self])
                let realm = try Realm(configuration: configuration)
                try realm.write { for house in realm.objects(LaterHouse.self) { house.floors = house.id + 10 } }
            }
        } _: { url, change in
            let realm = try Self.open(url)
            let houses = realm.objects(EarlierHouse.self), first = houses[0]
            #expect(first.height == 5)
            for height in [5, 10, 5] { #expect(houses.where { $0.height == height && $0.name != "" }.count == 1) }
            for id in 1...3 { #expect(houses.where { $0.id == id && $0.name != "" }.count == 1) }
            change()
            realm.refresh()
            for id in 1...3 { #expect(houses.where { $0.id == id && $0.name != "" }.count == 1) }
            #expect(first.name == "n1" && first.owner == "o" && Array(first.rooms) == [1] && first.height == 5)
            #expect(houses.sorted(by: \.name, ascending: false).map(\.id) == [3, 2, 1])
            let lost = Realm.Error(.schemaMismatch, "")
            #expect(throws: lost) { try realm.write { first.name = "changed" } }
            #expect(throws: lost) { try realm.write { realm.create(EarlierHouse.self, value: ["id": 5]) } }
            realm.beginWrite()
            first.name = "changed"
            #expect(throws: lost) { try realm.commitWrite() }
            #expect(first.name == "n1" && houses.count == 3 && !realm.isInWriteTransaction)
            try realm.verify()
        }
    }

    /// Statements 20 and 200: classes of others are kept, and new ones need no higher version.
    @Test(
        """
        Differs from Realm: a program that shares no class with a file does not raise its schema version, which \
        throws; Realm raises it. The program that the file belongs to could not open it any more.
        """)
    func anotherProgramsVersionStays() throws {
        let temporary = try TemporaryRealm([EarlierHouse.self])
        _ = try temporary.open()
        var configuration = Realm.Configuration(
            fileURL: temporary.url, schemaVersion: 3, objectTypes: [Person.self, Dog.self])
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("it holds ChangingHouse and no class of this one") == true)
        #expect(error?.message.contains("with version 0 first") == true, "\(error?.message ?? "")")
        configuration.objectTypes = []
        #expect(throws: Realm.Error(.schemaMismatch, "")) { try Realm(configuration: configuration) }
        _ = try temporary.open()

        configuration.schemaVersion = 0
        configuration.objectTypes = [Person.self, Dog.self]
        let guest = try Realm(configuration: configuration)
        try guest.write { guest.add(Person(1)) }
        let owner = try temporary.open()
        #expect(owner.schema["Person"] == nil && !owner.isEmpty && guest.objects(Person.self).count == 1)
    }
}
