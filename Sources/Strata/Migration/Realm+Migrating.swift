// SPDX-License-Identifier: MIT
// Realm+Migrating.swift -- files of other schema versions: what separates them from the classes, and their migration.

public import Foundation

extension Realm {
    /// Brings the file to the version of the configuration, as opening it does, without opening a realm.
    ///
    /// - Throws: `Realm.Error`, as ``init(configuration:queue:)`` does; `alreadyOpen` if the process has the file open.
    public static func performMigration(for configuration: Configuration = .defaultConfiguration) throws {
        if let store = configuration.store, SessionCache.isOpen(store) {
            throw StrataError(
                .alreadyOpen, "\(configuration.place) is open, so it cannot be migrated; close every realm and object "
                    + "of it first", fileURL: configuration.fileURL)
        }
        _ = try SessionCache.session(configuration)
    }

    /// Does in a copy what opening the file would do to it, and throws the copy away. The file stays as it is, and may
    /// be in use meanwhile. The directory of the file needs room for the copy; if the process may not write there, that
    /// for temporary files does.
    ///
    /// - Returns: what a migration would do; also whether it would fail.
    /// - Throws: `Realm.Error` if the file cannot be read or copied, or if the classes break a rule.
    public static func rehearseMigration(
        for configuration: Configuration = .defaultConfiguration
    ) throws -> MigrationReport {
        try configuration.withStoredFile { store, url throws(StrataError) in
            let copy = try copied(store, url)
            defer { for path in [copy.path, copy.path + "-lock"] { try? FileManager.default.removeItem(atPath: path) } }
            var rehearsal = configuration
            rehearsal.fileURL = copy
            rehearsal.readOnly = false
            rehearsal.durability = .relaxed
            let copied = try EngineStore(.file(copy.path), rehearsal)
            return try FileMigration(copied, configuration.layouts(), rehearsal).rehearse(of: url.path)
        }
    }

    /// Copies a file into its directory, or, if that cannot be written, into the one for temporary files.
    private static func copied(_ store: EngineStore, _ url: URL) throws(StrataError) -> URL {
        let name = ".\(url.lastPathComponent).\(UUID().uuidString)"
        let beside = url.deletingLastPathComponent().appendingPathComponent(name)
        do throws(StrataError) {
            try store.backUp(to: beside.path)
            return beside
        } catch where error.code == .filePermissionDenied || error.systemCode == EROFS {
            let elsewhere = FileManager.default.temporaryDirectory.appendingPathComponent(name)
            try store.backUp(to: elsewhere.path)
            return elsewhere
        }
    }

    /// What separates the file from the classes of the configuration, and what each difference costs.
    public static func schemaDifferences(
        for configuration: Configuration = .defaultConfiguration
    ) throws -> [SchemaDifference] {
        try configuration.withStoredFile { store, _ throws(StrataError) in
            try SchemaDifference.find(EngineView(store), Schema(configuration.layouts().map(\.schema)))
        }
    }

    /// The schemas that the file has had, the first one first, with their classes: what a file was between two versions
    /// of a program can be told from the file alone.
    public static func schemaHistory(
        for configuration: Configuration = .defaultConfiguration
    ) throws -> [SchemaRecord] {
        try configuration.withStoredFile { store, _ throws(StrataError) in
            try EngineView(store).schemaHistory().map(SchemaRecord.init)
        }
    }

    /// The classes of the file, as it has them.
    public static func storedSchema(for configuration: Configuration = .defaultConfiguration) throws -> Schema {
        try configuration.withStoredFile { store, _ throws(StrataError) in Schema(inFile: try EngineView(store)) }
    }

    /// What opening each file of a directory would do to it: for tests that keep a file of each version that was ever
    /// shipped. Lock files, and copies before migrations, are left out.
    ///
    /// - Parameters:
    ///   - directory: whose files are looked at.
    ///   - configuration: its classes and its block; its file does not matter.
    /// - Returns: the reports by the names of the files. A file that cannot be read has a report with that failure.
    /// - Throws: an error of Foundation if the directory cannot be read.
    public static func rehearseMigrations(
        ofFilesIn directory: URL, for configuration: Configuration = .defaultConfiguration
    ) throws -> [String: MigrationReport] {
        let keys: [URLResourceKey] = [.isRegularFileKey]
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: keys, options: .skipsHiddenFiles)
        var reports: [String: MigrationReport] = [:]
        for file in files where try file.resourceValues(forKeys: Set(keys)).isRegularFile == true {
            let name = file.lastPathComponent
            if name.hasSuffix("-lock") || name.hasSuffix(".previous") { continue }
            var configuration = configuration
            configuration.fileURL = file
            do {
                reports[name] = try rehearseMigration(for: configuration)
            } catch let error as StrataError {
                reports[name] = MigrationReport(failure: error.message, to: configuration.schemaVersion)
            }
        }
        return reports
    }

    /// Puts the file back as it was before the last migration that could lose values. Nobody may have it open, in this
    /// process or another one.
    ///
    /// - Returns: false if there is no such copy; see ``Configuration/keepsPreviousFile``.
    /// - Throws: `Realm.Error`: `alreadyOpen`, `fileOperationFailed`.
    @discardableResult
    public static func restorePrevious(for configuration: Configuration = .defaultConfiguration) throws -> Bool {
        guard let previous = PreviousFile(configuration), let store = configuration.store else { return false }
        if SessionCache.isOpen(store) {
            throw StrataError(
                .alreadyOpen, "\(configuration.place) is open, so the file before the migration cannot be put back; "
                    + "close every realm and object of it first", fileURL: configuration.fileURL)
        }
        return try previous.restore()
    }
}

/// The schema version of a file.
///
/// - Parameters:
///   - fileURL: the file.
///   - encryptionKey: must be nil, since files are not encrypted yet.
/// - Throws: `Realm.Error`: `fail` if the file has no schema, `fileNotFound`, `invalidDatabase`, …
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    let configuration = Realm.Configuration(fileURL: fileURL, encryptionKey: encryptionKey)
    return try configuration.withStoredFile { store, url throws(StrataError) in
        let version = try EngineView(store).schemaVersion
        if version != EngineView.noSchema { return version }
        throw StrataError(.fail, "\(url.path) has no schema yet: no realm was opened in it", fileURL: url)
    }
}

/// A schema that a file has had.
public struct SchemaRecord: Sendable, Hashable, Codable {
    /// The schema version.
    public let version: UInt64
    /// A number that is the same for the same classes, properties and indexes.
    public let hash: UInt64
    /// When the file got it.
    public let date: Date
    /// The name of the program that wrote it.
    public let program: String
    /// The name of the migration, see ``Migration/setName(_:)``; empty if it has none.
    public let migration: String
    /// Its classes as text, as the program `strata schema` writes them; nil if the file does not keep them. It keeps
    /// those of the first 250 different schemas, unless one takes more than 1 MiB.
    public let classes: String?

    init(_ record: EngineSchemaRecord) {
        version = record.version
        hash = record.hash
        date = record.date
        program = record.program
        migration = record.migration
        classes = record.declaration
    }
}

extension Realm.Configuration {
    /// The file or the name in memory, for messages.
    var place: String {
        if let fileURL { return fileURL.isFileURL ? fileURL.path : fileURL.absoluteString }
        return inMemoryIdentifier.map { "the realm in memory \"\($0)\"" } ?? "nowhere"
    }

    /// Opens the file for reading; it must exist.
    fileprivate func withStoredFile<Result>(
        _ body: (EngineStore, URL) throws(StrataError) -> Result
    ) throws(StrataError) -> Result {
        try check()
        guard let fileURL, fileURL.isFileURL else {
            throw StrataError(.invalidInput, "\(place) is no file; name one in fileURL", fileURL: fileURL)
        }
        return try body(EngineStore(reading: fileURL.path), fileURL)
    }
}

extension EngineStore {
    /// Opens the store of a configuration.
    convenience init(_ location: Location, _ configuration: Realm.Configuration) throws(StrataError) {
        try self.init(
            location, readOnly: configuration.readOnly, durability: configuration.effectiveDurability.engine,
            busyTimeout: configuration.busyTimeout)
    }
}

extension StrataError {
    /// The error that a file of a version has other classes, with all differences and what to do.
    func listing(_ differences: [SchemaDifference], _ version: UInt64) -> StrataError {
        StrataError(
            code,
            "\(fileURL?.path ?? "the realm") has schema version \(version), and its classes differ from those of the "
                + "program:\(SchemaDifference.table(differences))\n"
                + "Raise schemaVersion above \(version) to accept this; Realm.rehearseMigration(for:) tells what it "
                + "would do.", systemCode: systemCode, fileURL: fileURL)
    }

    /// The error that a file which is only read has other classes, with what the program asks for in vain. What a newer
    /// file has besides does not matter.
    func listing(lacks differences: [SchemaDifference], _ view: EngineView, than version: UInt64) -> StrataError {
        let isNewer = view.schemaVersion > version
        let writer = (try? view.schemaHistory().last?.program).map { $0.isEmpty ? "" : ", written by \($0)," } ?? ""
        let lines = differences.filter { !isNewer || $0.kind != .propertyRemoved }.map { "\n- \($0.summary)" }.joined()
        return StrataError(
            code,
            "\(fileURL?.path ?? view.store.path) has schema version \(view.schemaVersion)\(writer) and is opened "
                + "readOnly, but its classes differ from those of the program:\(lines)\n"
                + (isNewer
                    ? "Use a newer version of the program, or ask only for what the file has."
                    : "Open it for writing once, with a schemaVersion above \(view.schemaVersion), or ask only for "
                        + "what it has."), systemCode: systemCode, fileURL: fileURL)
    }
}
