// SPDX-License-Identifier: MIT
// Realm+Configuration.swift -- where a realm is, and what it holds.

public import Foundation

extension Realm {
    /// Where a realm is, and what it holds.
    ///
    /// The default file is `default.realm` in the directory `$XDG_DATA_HOME/<program>`, or
    /// `~/.local/share/<program>` if that variable is not set. The directory is created when the realm is opened.
    public struct Configuration: Sendable {
        /// The file. Setting it clears `inMemoryIdentifier`.
        public var fileURL: URL? {
            get { if case .file(let url) = location { url } else { nil } }
            set { if let newValue { location = .file(newValue) } else if case .file = location { location = .nowhere } }
        }

        /// The name of a realm in memory, which all of the process that use the name share and which is gone when the
        /// last of them closes it. Setting it clears `fileURL`.
        public var inMemoryIdentifier: String? {
            get { if case .memory(let name) = location { name } else { nil } }
            set { if let newValue { location = .memory(newValue) } else if case .memory = location { location = .nowhere } }
        }

        /// Whether the file is only read. It must then exist.
        public var readOnly: Bool

        /// The version of the classes. Raise it when the properties of a class change.
        public var schemaVersion: UInt64

        /// The classes of the realm; nil for all classes of the program that want to be in the default schema. The
        /// classes that these link to must be among them.
        public var objectTypes: [ObjectBase.Type]?

        /// What a power cut may take of the writes that have returned. A program that ends, in whatever way, loses none
        /// of them, and the file is whole in any case.
        public enum Durability: Sendable {
            /// Nothing.
            case full
            /// The last write, which the system keeps for a while: until the next one, of whichever program, until
            /// ``Realm/flush()``, or until the last realm of the file is closed. A write waits for the disk once
            /// instead of twice.
            case relaxed
        }

        /// What a power cut may take of the writes of this program: all realms that it has of one file must agree.
        /// Means nothing in memory and for a file that is only read.
        public var durability: Durability

        private enum Location: Hashable, Sendable {
            case file(URL)
            case memory(String)
            case nowhere
        }
        private var location: Location

        /// Describes a realm. A name for a realm in memory takes precedence over a file.
        public init(
            fileURL: URL? = Realm.Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            readOnly: Bool = false, schemaVersion: UInt64 = 0, objectTypes: [ObjectBase.Type]? = nil,
            durability: Durability = .full
        ) {
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.objectTypes = objectTypes
            self.durability = durability
            location = inMemoryIdentifier.map { .memory($0) } ?? fileURL.map { .file($0) } ?? .nowhere
        }
    }
}

extension Realm.Configuration {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var current: Realm.Configuration?  // guarded by `lock`

    /// What `Realm()` opens. May be read and set from every thread.
    public static var defaultConfiguration: Realm.Configuration {
        get { lock.withLock { current } ?? Realm.Configuration() }
        set { lock.withLock { current = newValue } }
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

    /// Which store is meant: equal for all configurations of one file.
    var store: EngineStore.Location? {
        switch location {
        case .file(let url): .file(url.path)
        case .memory(let name): .memory(name)
        case .nowhere: nil
        }
    }

    /// The durability that a store is opened with: in memory and read only there is nothing to choose.
    var effectiveDurability: Durability {
        if case .file = location, !readOnly { durability } else { .full }
    }

    /// The layouts of the classes.
    ///
    /// - Throws: `invalidInput` if two classes have the same name.
    func layouts() throws(StrataError) -> [ClassLayout] {
        try ClassLayout.layouts(of: objectTypes ?? SchemaDiscovery.defaultClasses())
    }
}

extension Realm.Configuration: Equatable {
    /// Compares location, classes, version, durability and whether the file is only read.
    public static func == (left: Self, right: Self) -> Bool {
        left.location == right.location && left.readOnly == right.readOnly && left.schemaVersion == right.schemaVersion
            && left.durability == right.durability
            && left.objectTypes?.map(ObjectIdentifier.init) == right.objectTypes?.map(ObjectIdentifier.init)
    }
}

extension Realm.Configuration: CustomStringConvertible {
    /// The location and the version.
    public var description: String {
        "Realm.Configuration(\(fileURL?.path ?? inMemoryIdentifier.map { "in memory: \($0)" } ?? "nowhere"), "
            + "schemaVersion: \(schemaVersion), readOnly: \(readOnly))"
    }
}
