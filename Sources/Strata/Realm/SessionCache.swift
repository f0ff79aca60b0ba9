// SPDX-License-Identifier: MIT
// SessionCache.swift -- one session per isolation domain and configuration.

import Foundation

/// The sessions that are open, so that opening a realm again on the same thread, queue or actor gives the same one.
enum SessionCache {
    /// What decides whether two realms share a session.
    private struct Key: Equatable {
        let store: String
        let domain: IsolationDomain
        let types: [ObjectIdentifier]
    }

    private struct OpenSession {
        let key: Key
        let session: WeakReference<Session>
        let readOnly: Bool
        let version: UInt64
        let durability: Realm.Configuration.Durability
        let applied: AppliedSchema

        /// Whether this is a session of the same file and classes.
        func holds(_ other: Key, _ configuration: Realm.Configuration) -> Bool {
            key.store == other.store && key.types == other.types && readOnly == configuration.readOnly
                && version == configuration.schemaVersion
        }

        /// Whether this is the session that another realm is to share, or one beside which it cannot be open: a file
        /// has one version for all its classes.
        func decides(_ other: Key, _ configuration: Realm.Configuration) -> Bool {
            key == other
                || key.store == other.store && key.domain == other.domain && version != configuration.schemaVersion
        }
    }

    private static let lock = NSLock()
    /// They are few. A dictionary would make the runtime search for the conformances of its key when it is first used.
    nonisolated(unsafe) private static var open: [OpenSession] = []  // guarded by `lock`

    /// The session of a configuration for a domain, in which the caller runs. Keeps its store open as long as one in
    /// memory lasts.
    ///
    /// - Parameter mayBeBehind: whether one that is open may also be at an earlier version, beyond which it cannot move.
    static func session(
        _ configuration: Realm.Configuration, for domain: IsolationDomain = .here, mayBeBehind: Bool = false
    ) throws(StrataError) -> Session {
        let session = try openSession(configuration, domain, mayBeBehind)
        session.mostVersions = configuration.maximumNumberOfActiveVersions
        if case .memory(let name)? = configuration.store {
            Realm.Configuration.keepIfDefault(session.view.store, named: name)
            ThreadScope.current.keep(session.view.store, named: name)
        }
        return session
    }

    /// The session that decides whether another realm can be opened. Of no other one a reference is let go of here: the
    /// last one closes its session, which takes the lock. With the lock held.
    private static func deciding(_ key: Key, _ configuration: Realm.Configuration) -> (OpenSession, Session)? {
        for entry in open where entry.decides(key, configuration) {
            if let session = entry.session.target { return (entry, session) }
        }
        return nil
    }

    private static func openSession(
        _ configuration: Realm.Configuration, _ domain: IsolationDomain, _ mayBeBehind: Bool
    ) throws(StrataError) -> Session {
        if let url = configuration.fileURL, !url.isFileURL {
            throw StrataError(
                .invalidInput, "\(url) is no file URL; make one with URL(fileURLWithPath:)", fileURL: url)
        }
        guard let location = configuration.store else {
            throw StrataError(
                .invalidInput, "The configuration names no place; set its fileURL or its inMemoryIdentifier.")
        }
        try configuration.check()
        let layouts = configuration.layouts()
        let name = try prepare(location, configuration)
        let key = Key(
            store: name, domain: domain,
            types: layouts.map { ObjectIdentifier($0.type) }.sorted())
        let (found, applied) = lock.withLock {
            (deciding(key, configuration), open.first { $0.holds(key, configuration) }?.applied)
        }
        if let (entry, session) = found {
            if entry.readOnly == configuration.readOnly && entry.version == configuration.schemaVersion
                && entry.durability == configuration.effectiveDurability
            {
                do throws(StrataError) {
                    try session.checkNewest()
                } catch {
                    if !mayBeBehind || session.isResting { throw error }
                }
                return session
            }
            throw StrataError(
                .alreadyOpen,
                "\(name) is open here with readOnly: \(entry.readOnly), schemaVersion: \(entry.version) and "
                    + "durability: .\(entry.durability); close that realm first, or use the same configuration.")
        }
        if let files = RealmFiles(configuration), !configuration.readOnly, !isOpen(location) {
            if let seed = configuration.seedFilePath { try files.plant(seed) }
            if let decide = configuration.shouldCompactOnLaunch { try files.compact(configuration, decide) }
        }
        if applied == nil, configuration.deleteRealmIfMigrationNeeded {
            try deleteIfOfAnotherVersion(location, layouts, configuration)
        }
        let store = try EngineStore(location, configuration)
        if applied == nil && !configuration.readOnly { try FileMigration(store, layouts, configuration).run() }
        let session = try naming(store, layouts, configuration) { () throws(StrataError) in
            try Session(
                store, layouts, version: configuration.schemaVersion, readOnly: configuration.readOnly,
                domain: domain, applied: applied)
        }
        if applied == nil && !configuration.readOnly { PreviousFile(configuration)?.forget() }
        session.configuration = configuration
        let address = Unmanaged.passUnretained(session).toOpaque()
        session.onClose = {
            lock.withLock { open.removeAll { $0.session.refers(to: address) } }
            Autorefresh.shared.forget(address)
        }
        lock.withLock {
            open.removeAll { $0.key == key }
            open.append(OpenSession(
                key: key, session: WeakReference(session), readOnly: configuration.readOnly,
                version: configuration.schemaVersion, durability: configuration.effectiveDurability,
                applied: session.applied))
        }
        session.rest()
        Autorefresh.shared.follow(session)
        return session
    }

    /// Deletes a file that would need a migration.
    private static func deleteIfOfAnotherVersion(
        _ location: EngineStore.Location, _ layouts: [ClassLayout], _ configuration: Realm.Configuration
    ) throws(StrataError) {
        guard let files = RealmFiles(configuration), files.exists else { return }
        if try !FileMigration(EngineStore(location, configuration), layouts, configuration).isNeeded() { return }
        do throws(StrataError) {
            try files.delete()
        } catch {
            throw StrataError(
                error.code, "\(files.file.path) needs a migration, and is to be deleted instead: \(error.message)",
                systemCode: error.systemCode, fileURL: configuration.fileURL)
        }
    }

    /// Opens a session; if the classes differ from the file, the error names all differences.
    private static func naming(
        _ store: EngineStore, _ layouts: [ClassLayout], _ configuration: Realm.Configuration,
        _ body: () throws(StrataError) -> Session
    ) throws(StrataError) -> Session {
        do throws(StrataError) {
            return try body()
        } catch {
            guard error.code == .schemaMismatch, let view = try? EngineView(store),
                let found = try? SchemaDifference.find(view, Schema(layouts.map(\.schema)))
            else { throw error }
            let differences = found.filter { !$0.isAccepted }
            if differences.isEmpty || view.needsMigration(to: .max) == false { throw error }
            throw configuration.readOnly
                ? error.listing(lacks: differences, view, than: configuration.schemaVersion)
                : error.listing(differences, view.schemaVersion)
        }
    }

    /// The domain of a caller who names none, and may run on a queue or an actor: that of a realm of this place which is
    /// open there, otherwise the main one or its thread.
    static func domainOfCaller(_ configuration: Realm.Configuration) -> IsolationDomain {
        guard let location = configuration.store else { return .here }
        let name = name(location)
        let domains = lock.withLock { open.filter { $0.key.store == name }.map(\.key.domain) }
        return domains.first { !$0.isThread && $0.runsJobs && !$0.hasEnded && $0.isCurrent } ?? .here
    }

    /// The sessions of a domain that are open.
    static func sessions(of domain: IsolationDomain) -> [Session] {
        lock.withLock { open.filter { $0.key.domain == domain }.compactMap(\.session.target) }
    }

    /// Whether any thread of the process has the store open.
    static func isOpen(_ location: EngineStore.Location) -> Bool {
        let name = name(location)
        return lock.withLock { open.contains { $0.key.store == name } }
    }

    /// Makes the directory of the default file.
    private static func prepare(
        _ location: EngineStore.Location, _ configuration: Realm.Configuration
    ) throws(StrataError) -> String {
        // The name is compared first, because finding the default file takes longer.
        if case .file(let path) = location, !configuration.readOnly, path.hasSuffix("/default.realm"),
            case let url = Realm.Configuration.defaultFileURL, path == url.path
        {
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            } catch {
                throw StrataError(
                    .filePermissionDenied, "The directory of \(path) cannot be created: \(error)", fileURL: url)
            }
        }
        return name(location)
    }

    /// The path without symbolic links, of a file in a directory that exists.
    private static func resolved(_ path: String) -> String? {
        func existing(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if let file = existing(path) { return file }
        guard let slash = path.lastIndex(of: "/"), let directory = existing(String(path[...slash])) else { return nil }
        return directory + (directory == "/" ? "" : "/") + path[path.index(after: slash)...]
    }

    private static func name(_ location: EngineStore.Location) -> String {
        switch location {
        case .file(let path): resolved(path) ?? URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        case .memory(let name): "memory:\(name)"
        }
    }
}
