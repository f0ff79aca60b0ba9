// SPDX-License-Identifier: MIT
// main.swift -- a thousand tasks on two actors, a queue and a store: write, look, freeze, copy, observe and pass objects
// on.
//
// Promise: no data race is reported by the thread sanitizer, what is frozen reads the same on all threads, the file
// holds what the writes that returned have added, and observers have been told of all of it in the end.
//
//     swift run --sanitize=thread --package-path Tests/TaskRaces task-races [SEED [TASKS]]

import Dispatch
import Foundation
import Strata

struct Broken: Error { let what: String }

func require(_ condition: Bool, _ what: String) throws { if !condition { throw Broken(what: what) } }

let parcels = 40

actor Keeper {
    private var realm: Realm!

    init(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    private var following: NotificationToken?
    /// The weight of which the actor was told last.
    private(set) var toldWeight = 0

    /// Is told of all parcels from now on.
    func follow() async {
        following = await realm.objects(Parcel.self).observe(on: self) { keeper, change in
            switch change {
            case .initial(let all), .update(let all, _, _, _): keeper.toldWeight = all.sum(of: \.weight)
            case .error: break
            }
        }
    }

    /// Observes an object for a while.
    func watch(_ number: Int, from other: Keeper) async throws {
        guard let parcel = parcel(number) else { throw Broken(what: "an object is missing") }
        let here = await parcel.observe(on: self) { (_, _: ObjectChange<Parcel>) in }
        let there = await parcel.observe(keyPaths: ["weight", "next.weight"], on: other) { (_, _: ObjectChange<Parcel>) in }
        await Task.yield()
        here.invalidate()
        withExtendedLifetime(there) {}
    }

    private func parcel(_ number: Int) -> Parcel? { realm.object(ofType: Parcel.self, forPrimaryKey: number % parcels) }

    func add(_ number: Int) async throws { try await realm.asyncWrite { parcel(number)?.weight += 1 } }

    func addAtOnce(_ number: Int) throws { try realm.write { parcel(number)?.weight += 1 } }

    /// The number falls in no version.
    func look() async throws {
        let all = realm.objects(Parcel.self), before: Int = all.sum(of: \.weight)
        await Task.yield()
        await realm.asyncRefresh()
        try require(all.sum(of: \.weight) >= before, "a later version holds less")
    }

    func frozen(_ number: Int) -> FrozenParcels? { FrozenParcels(realm, number % parcels) }

    func copy(_ number: Int) -> ObjectSnapshot<Parcel>? { parcel(number)?.snapshot(including: \.next, \.parcels) }

    func pass(_ number: Int) -> ThreadSafeReference<Parcel>? { parcel(number).map { ThreadSafeReference(to: $0) } }

    func take(_ reference: ThreadSafeReference<Parcel>, _ number: Int) throws {
        try require(realm.resolve(reference)?.id == number % parcels, "a reference leads to another object")
    }
}

/// What the tasks share.
struct Office: Sendable {
    let configuration: Realm.Configuration
    let store: RealmStore
    let keepers: [Keeper]
    let queue = DispatchQueue(label: "office")

    init(_ configuration: Realm.Configuration) async throws {
        self.configuration = configuration
        store = try await RealmStore(configuration: configuration)
        try await store.write { realm in for id in 0..<parcels { Parcel.create(id, in: realm) } }
        keepers = [try await Keeper(configuration), try await Keeper(configuration)]
        for keeper in keepers { await keeper.follow() }
    }

    var weight: Int {
        get async throws { try await store.read { $0.objects(Parcel.self).sum(of: \.weight) } }
    }

    /// Does one thing.
    /// - Returns: how much it added.
    func run(_ number: Int, _ kind: Int) async throws -> Int {
        let keeper = keepers[number % 2], other = keepers[(number + 1) % 2]
        switch kind {
        case 0: try await keeper.add(number)
        case 1: try await keeper.addAtOnce(number)
        case 2: try await store.write { $0.object(ofType: Parcel.self, forPrimaryKey: number % parcels)?.weight += 1 }
        case 3: try await addOnQueue(number)
        case 4:
            let write = Task { try await keeper.add(number) }
            write.cancel()
            return (try? await write.value) == nil ? 0 : 1
        default:
            try await read(number, kind, keeper, other)
            return 0
        }
        return 1
    }

    private func addOnQueue(_ number: Int) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result {
                    let realm = try Realm(configuration: configuration, queue: queue)
                    try realm.write { realm.object(ofType: Parcel.self, forPrimaryKey: number % parcels)?.weight += 1 }
                })
            }
        }
    }

    private func read(_ number: Int, _ kind: Int, _ keeper: Keeper, _ other: Keeper) async throws {
        switch kind {
        case 5: try await keeper.look()
        case 6: try await readFrozen(await keeper.frozen(number))
        case 7:
            let copy = await keeper.copy(number)
            try require(copy?.id == number % parcels, "a copy is of another object")
        case 9: try await keeper.watch(number, from: other)
        case 8: if let reference = await keeper.pass(number) { try await other.take(reference, number) }
        default:
            let heavy = try await store.read { $0.objects(Parcel.self).where { $0.weight > 5 }.count }
            try require(heavy > 0, "a condition finds nothing")
        }
    }

    private func readFrozen(_ frozen: FrozenParcels?) async throws {
        guard let frozen else { throw Broken(what: "an object is missing") }
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { frozen.sum } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        try require(sums.count == 1, "a frozen object changes")
    }
}

/// - Returns: how much all tasks added.
@concurrent func run(_ tasks: Int, seed: UInt64, in office: Office) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<tasks {
            // A step of a linear congruential generator is random enough to mix the kinds.
            let step = (seed &+ UInt64(number)) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            group.addTask { try await office.run(number, Int((step >> 33) % 11)) }
        }
        return try await group.reduce(0, +)
    }
}

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let seed = arguments.first ?? UInt64.random(in: 0...UInt64.max), tasks = arguments.count > 1 ? Int(arguments[1]) : 1000
print("seed \(seed)")
let file = FileManager.default.temporaryDirectory.appendingPathComponent("task-races-\(getpid()).realm")
let office = try await Office(Realm.Configuration(fileURL: file, objectTypes: [Parcel.self]))
let before = try await office.weight
let added = try await run(tasks, seed: seed, in: office)
let after = try await office.weight
try require(after == before + added, "\(added) writes returned, \(after - before) are in the file")
for keeper in office.keepers {
    // Who is not told within a minute is forgotten.
    for _ in 0..<60_000 where await keeper.toldWeight != after { try await Task.sleep(for: .milliseconds(1)) }
    try require(await keeper.toldWeight == after, "an observer was not told of everything")
}
for suffix in ["", "-lock"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
print("\(tasks) tasks, \(added) writes: no race")
