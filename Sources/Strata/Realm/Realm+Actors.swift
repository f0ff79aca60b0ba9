// SPDX-License-Identifier: MIT
// Realm+Actors.swift -- realms that belong to actors, and realms that are opened in the background.

public import Dispatch

extension Realm {
    /// What a realm that is opened waits for. There is no sync, so that there is nothing to download.
    @frozen public enum OpenBehavior: Sendable {
        case never
        case once
        case always
    }

    /// An opening in the background.
    public struct AsyncOpenTask: Sendable {
        fileprivate let cancellation: OpeningCancellation

        /// Drops the callback, unless it has been called, and ends a migration, which leaves the file as it was. It may
        /// be called on the callback's queue and elsewhere.
        public func cancel() { cancellation.cancel() }
    }

    /// Opens a realm of the main actor.
    ///
    /// ```swift
    /// @MainActor func show() async throws {
    ///     let realm = try await Realm()
    ///     print(realm.objects(Dog.self).count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: where the realm is, and what it holds.
    ///   - downloadBeforeOpen: without effect.
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does.
    @MainActor
    public init(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        self = try await Self.open(configuration: configuration, downloadBeforeOpen: downloadBeforeOpen)
    }

    /// Opens a realm that belongs to an actor, and follows it over its threads.
    ///
    /// ```swift
    /// actor Dogs {
    ///     var realm: Realm!
    ///     init() async throws { realm = try await Realm(actor: self) }
    ///     func count() -> Int { realm.objects(Dog.self).count }
    /// }
    /// ```
    ///
    /// The realm does not keep the actor alive. Opening it again for the same actor gives the same realm.
    ///
    /// - Parameters:
    ///   - configuration: where the realm is, and what it holds.
    ///   - actor: the actor that the realm belongs to.
    ///   - downloadBeforeOpen: without effect.
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does.
    public init<A: Actor>(
        configuration: Configuration = .defaultConfiguration, actor: A, downloadBeforeOpen: OpenBehavior = .never
    ) async throws {
        let prepared = try await PreparedStore.prepare(configuration)
        defer { withExtendedLifetime(prepared) {} }
        self = try await Self.prepared(configuration, for: actor)
    }

    private static func prepared<A: Actor>(
        _ configuration: Configuration, for actor: isolated A
    ) throws -> sending Realm {
        try Realm(SessionCache.session(configuration, for: .actor(actor)), configuration)
    }

    /// Opens a realm that belongs to the actor on which the caller runs.
    ///
    /// - Parameters:
    ///   - configuration: where the realm is, and what it holds.
    ///   - downloadBeforeOpen: without effect.
    ///   - isolation: the actor that the realm belongs to; leave it out.
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does.
    public static func open(
        configuration: Configuration = .defaultConfiguration, downloadBeforeOpen: OpenBehavior = .never,
        _isolation isolation: isolated any Actor = #isolation
    ) async throws -> Realm {
        let prepared = try await PreparedStore.prepare(configuration)
        defer { withExtendedLifetime(prepared) {} }
        return try Realm(SessionCache.session(configuration, for: .actor(isolation)), configuration)
    }

    /// Opens a realm in the background, and passes it to a callback on a dispatch queue, to which it belongs.
    ///
    /// - Parameters:
    ///   - configuration: where the realm is, and what it holds.
    ///   - callbackQueue: the serial queue on which the callback is called.
    ///   - callback: is given the realm, or the `Realm.Error` that ``init(configuration:queue:)`` would throw.
    /// - Returns: what the opening can be cancelled with.
    @discardableResult
    @preconcurrency
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let cancellation = OpeningCancellation(), task = AsyncOpenTask(cancellation: cancellation)
        DispatchQueue.global().async {
            let prepared = Result { try PreparedStore(preparing: configuration.cancelled(by: cancellation)) }
            callbackQueue.async {
                if cancellation.isCancelled { return }
                callback(prepared.flatMap { prepared in
                    defer { withExtendedLifetime(prepared) {} }
                    return Result { try Realm(configuration: configuration, queue: callbackQueue) }
                })
            }
        }
        return task
    }

    /// Moves to the newest version.
    ///
    /// - Parameter isolation: the actor that the realm belongs to; leave it out.
    /// - Returns: whether anything changed.
    @discardableResult
    public func asyncRefresh(_isolation isolation: isolated any Actor = #isolation) async -> Bool { session.refresh() }
}

/// A store that has been opened and holds the classes of a configuration, so that a realm of it is opened quickly.
///
/// Opening a file reads it, may write it and waits for the disk; so it is done on a thread that may wait.
final class PreparedStore: Sendable {
    private let store: EngineStore

    /// Blocks.
    init(preparing configuration: Realm.Configuration) throws(StrataError) {
        store = try SessionCache.session(configuration).view.store
    }

    /// Ends a migration if the task is cancelled.
    static func prepare(_ configuration: Realm.Configuration) async throws -> PreparedStore {
        let cancellation = OpeningCancellation(), configuration = configuration.cancelled(by: cancellation)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try PreparedStore(preparing: configuration) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
