// SPDX-License-Identifier: MIT
// Realm+Configuration.swift -- where a realm is, and what it holds.

public import Foundation

extension Realm {
    /// Where a realm is, and what it holds.
    ///
    /// The default file is `default.realm` in the directory `$XDG_DATA_HOME/<program>`, or
    /// `~/.local/share/<program>` if that variable is not set. The directory is created when the realm is opened.
    public struct Configuration: Sendable {
        /// With which an opening in the background can be cancelled.
        var cancellation: OpeningCancellation?

        /// The file. Setting it clears `inMemoryIdentifier`.
        public var fileURL: URL? {
            get { if case .file(let url) = storage { url } else { nil } }
            set {
                if let newValue {
                    storage = .file(newValue)
                } else if case .file = storage {
                    storage = .nowhere
                }
            }
        }

        /// The name of a realm in memory, which all of the process that use the name share. Setting it clears
        /// `fileURL`.
        ///
        /// What it holds is gone when the last `Realm`, object and collection of it is, and the next realm of that name
        /// is empty. Two things keep it longer, so that `try Realm().write { }` and then `try Realm().objects(…)` see
        /// the same objects although nobody holds a realm in between:
        ///
        /// - The realm of ``defaultConfiguration``, once it was opened, stays until that property is set again, to
        ///   whatever value.
        /// - A realm that is opened inside of `autoreleasepool { }` stays until the end of that.
        ///
        /// <doc:Testing> tells how to write tests with realms in memory.
        public var inMemoryIdentifier: String? {
            get { if case .memory(let name) = storage { name } else { nil } }
            set {
                if let newValue {
                    storage = .memory(newValue)
                } else if case .memory = storage {
                    storage = .nowhere
                }
            }
        }

        /// Whether the file is only read. It must then exist.
        public var readOnly: Bool

        /// The version of the classes. Raise it when the properties of a class change.
        ///
        /// A file that holds other classes only belongs to another program. To share it, use the version that it has;
        /// with a higher one it is not opened, because the other program could not open it any more. The same goes for
        /// a file in which all classes had other names; open it once with the version that it has.
        public var schemaVersion: UInt64

        /// Called when a file with a lower version is opened, before anybody sees it. Without a block, what the classes
        /// no longer have is dropped, and what they have with another type begins empty.
        public var migrationBlock: MigrationBlock?

        /// Whether a file that would need a migration is deleted instead, and begun anew: one with another version, or
        /// with other properties. It takes precedence over `migrationBlock`. Not together with `readOnly`. If somebody
        /// has the file open, in this process or another one, opening it throws `Realm.Error.alreadyOpen`.
        public var deleteRealmIfMigrationNeeded: Bool

        /// Asked when the file is opened for the first time in the process: with the size of the file in bytes, and
        /// with how many of them are in use. If it returns true, the file is rewritten without its free space before it
        /// is opened, unless another process has it open. Not asked for a realm in memory, nor for one that is only
        /// read.
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// A file that is copied if the file of the realm does not exist.
        public var seedFilePath: URL?

        /// The key of an encrypted file: 64 bytes. Files are not encrypted yet, so that opening a realm with a key
        /// throws `Realm.Error.invalidInput`. Use an encrypted file system or block device meanwhile.
        public var encryptionKey: Data?

        /// Is told how far a migration is, for each class whose objects its block enumerates: twenty times a second at
        /// most, and at the end.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?

        /// Whether the file is copied before a migration that may lose values. The copy lies beside it, with
        /// `.previous` behind its name, until a later run of the program opens the file for writing; until then
        /// ``Realm/restorePrevious(for:)`` puts it back. If there is no room for it, the migration is refused.
        public var keepsPreviousFile = true

        /// The classes of the realm; nil for all classes of the program that want to be in the default schema. The
        /// classes that these link to must be among them.
        public var objectTypes: [ObjectBase.Type]?

        /// Which of the writes that have returned a power cut may undo. A program that ends, in whatever way, loses
        /// none of them, and the file is intact in any case.
        public enum Durability: Sendable {
            /// None.
            case full
            /// The last write. The system holds it back for a while: until the next write, of whichever program, until
            /// ``Realm/flush()``, or until the last realm of the file is closed. A write waits for the disk once
            /// instead of twice.
            case relaxed
            /// None, either. The pages that a write has changed are appended to a log beside the file, its name with
            /// "-log" behind it, so that a write of up to 1,024 pages waits for the disk once. The log belongs to
            /// the file: after a crash it is needed to open it, and the first to do so may not be `readOnly`. While one
            /// program uses the log, all that write do. Another thread or program may see a write shortly before it is
            /// durable.
            case logged
            /// Those of about the last second, the newest first. A write waits for nothing: it is appended to the log,
            /// as with ``logged``, and a thread of the library flushes that within a second. So do ``Realm/flush()``,
            /// the next write of another program, and closing the last realm of the file. If the disk fails then, the
            /// next write throws.
            case deferred
        }

        /// Which writes of this program a power cut may undo. All realms that the program has of one file must agree.
        /// It has no effect in memory, and for a file that is only read.
        public var durability: Durability

        /// The seconds for which a write waits for its turn behind other writers, of all threads and processes, before
        /// it throws `Realm.Error.busy`; also those for which opening a file waits for a program that compacts it. A
        /// minute, if nothing else is said. Of all realms that the program has of one file, that of the first counts.
        ///
        /// Reads and copies do not wait for writers. ``Realm/write(within:withoutNotifying:_:)`` has a time of its own.
        public var busyTimeout: TimeInterval

        /// How many versions of the file may be held at a time, by realms and frozen objects of all processes, together
        /// with the newest one; nil for any number. A write that would exceed it throws `Realm.Error.tooManyVersions`,
        /// so that a program that forgets to let go finds out before the file has grown. Of all realms that one thread
        /// has of the file, the limit of the last that was opened counts.
        public var maximumNumberOfActiveVersions: UInt?

        private enum Storage: Hashable, Sendable {
            case file(URL)
            case memory(String)
            case nowhere
        }
        private var storage: Storage

        /// Describes a realm. A name for a realm in memory takes precedence over a file.
        public init(
            fileURL: URL? = Realm.Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil, objectTypes: [ObjectBase.Type]? = nil,
            seedFilePath: URL? = nil, durability: Durability = .full, busyTimeout: TimeInterval = 60
        ) {
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.encryptionKey = encryptionKey
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.seedFilePath = seedFilePath
            self.objectTypes = objectTypes
            self.durability = durability
            self.busyTimeout = busyTimeout
            storage = inMemoryIdentifier.map { .memory($0) } ?? fileURL.map { .file($0) } ?? .nowhere
        }
    }
}

extension Realm.Configuration {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var current: Realm.Configuration?  // guarded by `lock`
    /// The store in memory of the default configuration, once it was opened.
    nonisolated(unsafe) private static var defaultStore: EngineStore?  // guarded by `lock`

    /// What `Realm()` opens. May be read and set from every thread.
    ///
    /// If it names a realm in memory, what that holds stays until this property is set again, even to the same value,
    /// or until nobody refers to that realm any more, whichever comes last.
    public static var defaultConfiguration: Realm.Configuration {
        get { lock.withLock { current } ?? Realm.Configuration() }
        set {
            // The store is closed behind the lock, which must not be held meanwhile.
            let former = lock.withLock {
                defer { (current, defaultStore) = (newValue, nil) }
                return defaultStore
            }
            withExtendedLifetime(former) {}
        }
    }

    /// Keeps a store in memory open if it is that of the default configuration.
    static func keepIfDefault(_ store: EngineStore, named name: String) {
        lock.withLock {
            if defaultStore == nil, case .memory(name)? = current?.storage { defaultStore = store }
        }
    }

    /// The default file of this program.
    public static var defaultFileURL: URL {
        let environment = ProcessInfo.processInfo.environment
        let base: URL
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            base = URL(fileURLWithPath: data, isDirectory: true)
        } else {
            let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            base = (home ?? FileManager.default.homeDirectoryForCurrentUser).appendingPathComponent(".local/share")
        }
        let program = URL(fileURLWithPath: ProcessInfo.processInfo.arguments.first ?? "strata").lastPathComponent
        return base.appendingPathComponent(program).appendingPathComponent("default.realm")
    }

    /// Throws if the configuration asks for what cannot be.
    func check() throws(StrataError) {
        if let key = encryptionKey {
            if key.count != 64 { misuse("an encryptionKey of \(key.count) bytes; it has 64") }
            throw StrataError(
                .invalidInput,
                "encryptionKey is set, but files are not encrypted yet. Leave it out, and put the file on an encrypted "
                    + "file system or block device (fscrypt, LUKS)", fileURL: fileURL)
        }
        if deleteRealmIfMigrationNeeded && readOnly {
            misuse("deleteRealmIfMigrationNeeded together with readOnly: a file that is only read cannot be deleted")
        }
    }

    /// Which store the realm is in. It is equal for all configurations of one file.
    var store: EngineStore.Location? {
        switch storage {
        case .file(let url): .file(url.path)
        case .memory(let name): .memory(name)
        case .nowhere: nil
        }
    }

    /// The durability with which a store is opened. In memory, and for reading only, there is no choice.
    var effectiveDurability: Durability {
        if case .file = storage, !readOnly { durability } else { .full }
    }

    /// The layouts of the classes.
    func layouts() -> [ClassLayout] {
        ClassLayout.layouts(of: objectTypes ?? SchemaDiscovery.defaultClasses())
    }
}

extension Realm.Configuration.Durability {
    var engine: EngineDurability {
        switch self {
        case .full: .full
        case .relaxed: .relaxed
        case .logged: .logged
        case .deferred: .deferred
        }
    }
}

extension Realm.Configuration: Equatable {
    /// Compares the file or the name in memory, the key, the version, and whether the file is only read.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage == right.storage && left.encryptionKey == right.encryptionKey && left.readOnly == right.readOnly
            && left.schemaVersion == right.schemaVersion
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// The file or the name in memory, and the version.
    public var description: String {
        "Realm.Configuration(\(fileURL?.path ?? inMemoryIdentifier.map { "in memory: \($0)" } ?? "nowhere"), "
            + "schemaVersion: \(schemaVersion), readOnly: \(readOnly))"
    }
}
