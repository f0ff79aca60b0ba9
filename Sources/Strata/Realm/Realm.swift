// SPDX-License-Identifier: MIT
// Realm.swift -- the entry point: an open database.

public import Dispatch
public import struct Foundation.URL

/// An open database.
///
/// ```swift
/// let realm = try Realm()
/// try realm.write {
///     realm.add(Dog(value: ["name": "Rex"]))
/// }
/// let old = realm.objects(Dog.self).where { $0.age > 10 }
/// ```
///
/// A realm belongs to the thread that opened it, to a dispatch queue or to an actor, as do its objects; opening it
/// there again gives the same one. When something is first read, it takes the newest version of the file, and shows
/// that until `refresh()` or the beginning of a write moves it to the newest. It stays open as long as a `Realm`, an
/// object or a collection of it exists, and as long as a write is open.
public struct Realm {
    /// The error of everything that throws.
    public typealias Error = StrataError
    /// What adding does when there is an object with the same primary key.
    public typealias UpdatePolicy = Strata.UpdatePolicy

    /// What copies of a realm share, so that one costs two references, however much a configuration holds.
    private final class Opening {
        let configuration: Configuration
        init(_ configuration: Configuration) { self.configuration = configuration }
    }

    let session: Session
    private let opening: Opening
    /// How the realm was opened.
    public var configuration: Configuration { opening.configuration }

    /// Opens the realm of the default configuration.
    ///
    /// - Parameter queue: the dispatch queue that the realm belongs to, see ``init(configuration:queue:)``.
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does.
    public init(queue: DispatchQueue? = nil) throws {
        try self.init(configuration: .defaultConfiguration, queue: queue)
    }

    /// Opens the realm in a file.
    ///
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does.
    public init(fileURL: URL) throws {
        var configuration = Configuration.defaultConfiguration
        configuration.fileURL = fileURL
        try self.init(configuration: configuration)
    }

    /// Opens a realm. A missing file is created, unless `readOnly` is set.
    ///
    /// - Parameters:
    ///   - configuration: where the realm is, and what it holds.
    ///   - queue: a serial dispatch queue, on which the caller runs. The realm then belongs to that queue, whichever
    ///     threads work for it; otherwise to the calling thread.
    /// - Throws: `Realm.Error`: `fileNotFound`, `filePermissionDenied`, `fileOperationFailed`, `fileAccess` if the file
    ///   cannot be used; `invalidDatabase`, `unsupportedFileFormatVersion` if it is something else; `schemaMismatch` if
    ///   it holds other classes and the schema version is not higher; `invalidInput` if the classes break a rule;
    ///   `alreadyOpen` if it is open with other options; `outOfDiskSpace`.
    public init(configuration: Configuration, queue: DispatchQueue? = nil) throws {
        opening = Opening(configuration)
        guard let queue else {
            session = try SessionCache.session(configuration)
            return
        }
        let domain = IsolationDomain.queue(queue)
        if !domain.isCurrent { misuse("a realm is opened for \(domain.name) elsewhere; open it on that queue") }
        session = try SessionCache.session(configuration, for: domain)
    }

    init(_ session: Session, _ configuration: Configuration) {
        self.session = session
        opening = Opening(configuration)
    }

    /// The classes of the realm.
    public var schema: Schema { session.schema }

    /// Whether the realm moves on to new versions by itself, as a job of the queue or of the actor that it belongs to.
    /// Realms of the main thread do so while the main queue runs jobs, and those of another thread while its run loop
    /// runs, from the first observation or `writeAsync` on. Otherwise realms of threads move on by `refresh()`, when a
    /// write begins, and when they are opened again.
    public var autorefresh: Bool {
        get { session.autorefresh }
        nonmutating set {
            if newValue { session.requireLive("autorefresh") }
            if !session.isFrozen { session.autorefresh = newValue }
        }
    }

    /// Whether a write transaction is open.
    public var isInWriteTransaction: Bool { session.isWriting }

    /// Whether it shows one version for ever; see ``freeze()``.
    public var isFrozen: Bool { session.isFrozen }

    /// Moves to the newest version. Does nothing while writing, and in a closure that is told of changes.
    ///
    /// - Returns: whether anything changed.
    @discardableResult
    public func refresh() -> Bool { session.refreshUnlessTelling() }

    /// Makes all objects, collections and results of this realm invalid, rolls an open write back, and gives its
    /// version of the file back, so that it does not make the file grow. Invalid collections and results are empty;
    /// what is asked for later is valid, and shows the newest version. Observers of what is invalid are told of nothing
    /// any more, unless it is that it was deleted; those of the realm go on.
    public func invalidate() { session.invalidate() }

    /// Whether the file holds no object of any class.
    public var isEmpty: Bool {
        session.read("isEmpty") { () throws(StrataError) in
            for table in 0..<session.view.tableCount where try session.view.size(of: table) > 0 { return false }
            return true
        }
    }
}

extension Realm: Equatable {
    /// True for realms that were opened on the same thread, queue or actor with equal configurations, and for frozen
    /// ones that show the same version of the same file.
    public static func == (left: Realm, right: Realm) -> Bool { left.session.isSame(as: right.session) }
}

@available(*, unavailable, message: "a realm belongs to a thread, a queue or an actor; open one on each")
extension Realm: Sendable {}
