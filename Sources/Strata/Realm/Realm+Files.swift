// SPDX-License-Identifier: MIT
// Realm+Files.swift -- the files of realms, and their check.

public import Foundation

extension Realm {
    /// Whether the file of a configuration exists. A realm in memory has none.
    public static func fileExists(for configuration: Configuration) -> Bool {
        configuration.fileURL.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
    }

    /// Deletes the file of a configuration, its lock file, its log, and the copy that a migration has kept.
    ///
    /// - Returns: whether the file existed.
    /// - Throws: `Realm.Error`: `alreadyOpen` if somebody has it open, in this process or another one;
    ///   `filePermissionDenied`, `fileOperationFailed` if it cannot be deleted.
    @discardableResult
    public static func deleteFiles(for configuration: Configuration) throws -> Bool {
        guard let url = configuration.fileURL, let store = configuration.store else { return false }
        if SessionCache.isOpen(store) {
            throw StrataError(
                .alreadyOpen, "\(url.path) is open, so it cannot be deleted; close every realm and object of it first.",
                fileURL: url)
        }
        return try RealmFiles(configuration)?.delete() ?? false
    }

    /// Writes what the realm shows to a new file, without free space; in a write transaction with its changes, which
    /// need not be committed. Others read and write meanwhile.
    ///
    /// The file appears complete, or not at all. It has the schema version and the classes of this one, also those that
    /// the program does not know.
    ///
    /// - Parameters:
    ///   - fileURL: must not exist.
    ///   - encryptionKey: must be nil, since files are not encrypted yet.
    /// - Throws: `Realm.Error`: `fileExists`, `fileNotFound` (the directory), `filePermissionDenied`, `outOfDiskSpace`;
    ///   in a write, the first failure of that.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        try writeCopy(configuration: Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
    }

    /// Does what ``writeCopy(toFile:encryptionKey:)`` does, with the file of a configuration.
    public func writeCopy(configuration: Configuration) throws {
        try configuration.check()
        guard let url = configuration.fileURL, url.isFileURL else {
            throw StrataError(.invalidInput, "a copy is written to a file; set fileURL of the configuration")
        }
        try session.writeCopy(to: url)
    }

    /// Rewrites the file of a configuration without its free space. Nobody may have it open, in this process or
    /// another one. The disk needs room for the new file beside the old one, which stays if anything fails.
    ///
    /// See ``Configuration/shouldCompactOnLaunch``, which does that when a realm is opened.
    ///
    /// - Throws: `Realm.Error`: `alreadyOpen`, `fileNotFound`, `outOfDiskSpace`, …
    public static func compact(_ configuration: Configuration = .defaultConfiguration) throws {
        try configuration.check()
        guard let url = configuration.fileURL, let store = configuration.store else { return }
        if !fileExists(for: configuration) {
            throw StrataError(.fileNotFound, "\(url.path) does not exist, so it cannot be compacted", fileURL: url)
        }
        if SessionCache.isOpen(store) {
            throw StrataError(
                .alreadyOpen,
                "\(url.path) is open, so it cannot be compacted; close every realm and object of it first", fileURL: url)
        }
        try EngineStore.compact(url.path, within: configuration.busyTimeout)
    }

    /// Figures about a file.
    public struct Statistics: Sendable, Hashable, Codable {
        /// Bytes of the file.
        public let fileSize: Int
        /// Bytes in use, of all classes and indexes.
        public let usedSize: Int
        /// Bytes inside of the file that are not in use.
        public let freeSize: Int
        /// The part of them that the next write cannot use: what pins may still show, and what the newest version
        /// freed.
        public let heldSize: Int
        /// The number of the newest version.
        public let version: UInt64
        /// Versions that realms and frozen objects of all processes hold now. See ``Pin``.
        public let pins: Int
        /// How many there can be.
        public let mostPins: Int
    }

    /// Figures about the file as it is now, whatever the realm shows. It reads the list of free pages.
    ///
    /// - Throws: `Realm.Error` if the file cannot be read.
    public func statistics() throws -> Statistics {
        session.checkThread()
        return try session.view.store.statistics()
    }

    /// What `verify()` has read.
    public struct Verification: Sendable {
        /// Tables, those of unknown classes included.
        public let tables: Int
        /// Objects of all tables.
        public let objects: Int
        /// Entries of all indexes.
        public let indexEntries: Int
        /// Links, each of which was checked from both sides.
        public let links: Int
    }

    /// Reads and checks everything that the realm holds: every value, every index entry, every link from both sides.
    ///
    /// - Throws: `Realm.Error.invalidDatabase` with the first contradiction.
    @discardableResult
    public func verify() throws -> Verification {
        session.checkThread()
        if session.isWriting { misuse("verify() inside of a write transaction; end that first") }
        let report = try session.view.verify()
        return Verification(
            tables: report.tables, objects: report.rows, indexEntries: report.indexEntries, links: report.links)
    }
}

/// The codes, so that `catch Realm.Error.fileNotFound` can be written. See ``StrataError/Code``.
extension Realm.Error {
    public static let fail = Code.fail
    public static let fileAccess = Code.fileAccess
    public static let filePermissionDenied = Code.filePermissionDenied
    public static let fileExists = Code.fileExists
    public static let fileNotFound = Code.fileNotFound
    public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
    public static let incompatibleLockFile = Code.incompatibleLockFile
    public static let addressSpaceExhausted = Code.addressSpaceExhausted
    public static let schemaMismatch = Code.schemaMismatch
    public static let alreadyOpen = Code.alreadyOpen
    public static let invalidInput = Code.invalidInput
    public static let outOfDiskSpace = Code.outOfDiskSpace
    public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
    public static let fileOperationFailed = Code.fileOperationFailed
    public static let invalidDatabase = Code.invalidDatabase
    public static let busy = Code.busy
    public static let interrupted = Code.interrupted
    /// See `Code.tooManyVersions`.
    public static let tooManyVersions = Code.tooManyVersions
}

/// Lets `catch Realm.Error.fileNotFound` catch errors of that code.
public func ~= (code: StrataError.Code, error: any Error) -> Bool { (error as? StrataError)?.code == code }
