// SPDX-License-Identifier: MIT
// RealmStore.swift -- one database for all tasks of a server. An addition to Realm's API.

import Foundation
import Synchronization

/// A database that every task may use: a handle that can be passed around, and lends a realm to closures.
///
/// ```swift
/// let store = try await RealmStore()
/// try await store.write { realm in realm.add(Dog(value: ["name": "Rex"])) }
/// let names = try await store.read { realm in realm.objects(Dog.self).sorted(by: \.name).map(\.name) }
/// ```
///
/// A closure is given a realm at the newest version and does its work without `await`. It returns values that may be
/// passed between threads; objects stay inside.
///
/// Reads run side by side, each where its task runs, on as many realms as there are processors; the others wait without
/// holding a thread. A read waits for no lock. Writes run one after the other on a thread of the store; those that wait
/// at the same time share one wait for the disk.
///
/// Thread: any. While no closure runs, a store holds no version of the file.
public final class RealmStore: Sendable {
    /// Where the realm is, and what it holds.
    public let configuration: Realm.Configuration
    let readers: ReaderPool
    private let writer: StoreWriter

    /// Opens a database in the background. If the task is cancelled, a migration ends, and leaves the file as it was.
    ///
    /// - Throws: `Realm.Error`, as ``Realm/init(configuration:queue:)`` does.
    public init(configuration: Realm.Configuration = .defaultConfiguration) async throws {
        self.configuration = configuration
        let prepared = try await PreparedStore.prepare(configuration)
        defer { withExtendedLifetime(prepared) {} }
        readers = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try ReaderPool(configuration) }) }
        }
        writer = StoreWriter(configuration, readers.store)
    }

    /// The file is closed when this returns, unless something else has it open, or one of the closures let go of the
    /// store.
    deinit { writer.close() }

    /// Runs a closure that reads.
    ///
    /// - Parameter body: reads the newest version. A write in it stops the program.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws; `CancellationError` if the task was cancelled before the closure began, which
    ///   then does not run; `Realm.Error` if the newest version cannot be read.
    @concurrent public func read<Result: Sendable>(
        _ body: @Sendable (Realm) throws -> Result
    ) async throws -> Result {
        try await readers.read(body)
    }

    /// Runs a closure whose queries must end in time. They stop, too, when the task is cancelled. What becomes of a
    /// stopped query is told at ``Realm/read(within:_:)``.
    ///
    /// - Parameters:
    ///   - seconds: how long the queries of the closure may take.
    ///   - body: reads the newest version. A write in it stops the program.
    /// - Returns: what the closure returns.
    /// - Throws: `Realm.Error`: `interrupted` if a query was stopped at the deadline; `CancellationError` if the task
    ///   was cancelled; otherwise what the closure throws.
    @concurrent public func read<Result: Sendable>(
        within seconds: Double, _ body: @Sendable (Realm) throws -> Result
    ) async throws -> Result {
        let cancellation = QueryCancellation()
        return try await withTaskCancellationHandler {
            try await readers.read { realm in
                try realm.read(until: cancellation) {
                    try realm.read(within: seconds) { try body(realm) }
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Runs a closure inside of a write transaction, and makes its changes durable, as the configuration demands.
    ///
    /// The transaction is rolled back if the closure throws, and if a change fails, see
    /// ``Realm/write(withoutNotifying:_:)``. The closure may be called only once.
    ///
    /// - Parameters:
    ///   - seconds: how long the write may wait for its turn behind other writers, of all threads and processes; nil
    ///     for as long as ``Realm/Configuration/busyTimeout`` says.
    ///   - body: makes the changes.
    /// - Returns: what the closure returns, when the changes are durable.
    /// - Throws: what the closure throws, or a ``ValidatedObject``; `CancellationError` if the task was cancelled before
    ///   the closure began; otherwise `Realm.Error`: `busy` if the write did not get its turn in time.
    @discardableResult
    public func write<Result: Sendable>(
        within seconds: Double? = nil, _ body: @escaping @Sendable (Realm) throws -> Result
    ) async throws -> Result {
        let result = Mutex<Result?>(nil)
        let job = WriteJob(seconds.map(EngineStore.milliseconds)) { realm in
            let made = try body(realm)
            result.withLock { $0 = made }
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.onEnd = { continuation.resume(with: $0) }
                writer.run(job)
            }
        } onCancel: {
            job.cancel()
        }
        guard let made = result.withLock({ $0 }) else { misuse("a write of a RealmStore ended without its closure") }
        return made
    }
}
