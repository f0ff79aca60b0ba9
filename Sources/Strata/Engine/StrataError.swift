// SPDX-License-Identifier: MIT
// StrataError.swift -- the public error, and the one mapping from engine statuses to codes.

import CStrata
public import Foundation

/// What went wrong while opening, reading or changing a realm. Spelled `Realm.Error` in programs.
///
/// Only conditions that a program can meet and handle are thrown: a file that cannot be used, a full disk, data that
/// breaks a rule. Programming errors, such as a change outside a write transaction, stop the program instead.
///
/// ```swift
/// do {
///     let realm = try Realm(fileURL: url)
/// } catch Realm.Error.filePermissionDenied {
///     // only this code
/// } catch let error as Realm.Error {
///     print(error.code, error.message)
/// }
/// ```
public struct StrataError: Error, Sendable {
    /// The kind of failure. The numbers are those of Realm, but for those from 1000 on.
    public enum Code: Int, Sendable, CaseIterable {
        /// Anything that has no code of its own, such as too many open snapshots or no memory.
        case fail = 1
        /// The file cannot be used in this state: several hard links, a network file system, replaced while open.
        case fileAccess = 2
        /// The operating system does not allow access to the file, its directory or its lock file.
        case filePermissionDenied = 3
        /// A file that must not exist does.
        case fileExists = 4
        /// The file or its directory is missing.
        case fileNotFound = 5
        /// Not used: files of earlier formats are refused as `unsupportedFileFormatVersion`.
        case fileFormatUpgradeRequired = 6
        /// Not used: a lock file of another version of LMDB is refused as `unsupportedFileFormatVersion`.
        case incompatibleLockFile = 8
        /// The file reached the largest size that it was opened with.
        case addressSpaceExhausted = 9
        /// The classes differ from what the file holds; a higher schema version is needed.
        case schemaMismatch = 10
        /// The file is open elsewhere with other options.
        case alreadyOpen = 12
        /// Data that breaks a rule: a duplicate primary key, a value of the wrong type or too large, a bad schema.
        case invalidInput = 13
        /// The disk is full.
        case outOfDiskSpace = 14
        /// Not used.
        case incompatibleSession = 15
        /// The file, or its lock file, was written by a version of the library, or of LMDB, that this one cannot read.
        case unsupportedFileFormatVersion = 16
        /// Not used.
        case multipleSyncAgents = 17
        /// Not used.
        case subscriptionFailed = 18
        /// The operating system failed to read, write or find the file.
        case fileOperationFailed = 19
        /// The file is not a realm, or it is damaged.
        case invalidDatabase = 20
        /// Not used.
        case incompatibleHistories = 21
        /// Not used.
        case noSubscriptionForWrite = 22
        /// Others kept the file to themselves for longer than ``Realm/Configuration/busyTimeout``, or than
        /// `write(within:)` was given. The message says which process or thread that is, and for how long.
        case busy = 1000
        /// A query reached a limit: see ``Realm/read(within:_:)``. The message names the query.
        case interrupted = 1001
        /// A write would make more versions active than ``Realm/Configuration/maximumNumberOfActiveVersions``. The
        /// message says how many are held, by whom, and for how long.
        case tooManyVersions = 1002
    }

    /// The kind of failure.
    public let code: Code
    /// What was tried, on what, why it failed, and the likely fix.
    public let message: String
    /// `errno` where the operating system failed, otherwise 0.
    public let systemCode: Int32
    /// The file that was used, if it is known.
    public internal(set) var fileURL: URL?

    /// Creates an error.
    public init(_ code: Code, _ message: String, systemCode: Int32 = 0, fileURL: URL? = nil) {
        self.code = code
        self.message = message
        self.systemCode = systemCode
        self.fileURL = fileURL
    }

    /// Creates an error as Realm's is created, in a test for example: of `userInfo`, the description becomes the message.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(code, userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)")
    }
}

extension StrataError: Equatable {
    /// Errors are equal if their codes are.
    public static func == (left: StrataError, right: StrataError) -> Bool { left.code == right.code }
}

extension StrataError: LocalizedError, CustomStringConvertible {
    /// The message.
    public var errorDescription: String? { message }
    /// Code and message.
    public var description: String { "Realm.Error.\(code): \(message)" }
}

extension StrataError {
    /// The error for what takes an `NSError`: of the domain "io.realm", with the number of the code.
    public var _nsError: NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { userInfo[NSFilePathErrorKey] = fileURL.path }
        return NSError(domain: "io.realm", code: code.rawValue, userInfo: userInfo)
    }
}

extension StrataError {
    /// The same error, with the name of the object or property in front of the message.
    func naming(_ name: String) -> StrataError {
        StrataError(code, "\(name): \(message)", systemCode: systemCode, fileURL: fileURL)
    }

    /// Makes the error of a status that the engine reported.
    init(_ status: strata_status, _ error: UnsafeMutablePointer<strata_error>, _ fileURL: URL? = nil) {
        let text = withUnsafeBytes(of: &error.pointee.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            Code(status), text.isEmpty ? String(cString: strata_status_name(status)) : text,
            systemCode: error.pointee.system_code, fileURL: fileURL
        )
    }
}

extension StrataError.Code {
    /// The code under which a status of the engine is thrown.
    init(_ status: strata_status) {
        self = Self.byStatus[status.rawValue] ?? .fail
    }

    private static let byStatus: [Int32: Self] = [
        strata_status.STRATA_IO.rawValue: .fileOperationFailed,
        strata_status.STRATA_CORRUPT.rawValue: .invalidDatabase,
        strata_status.STRATA_NOT_A_STORE.rawValue: .invalidDatabase,
        strata_status.STRATA_NEWER_FORMAT.rawValue: .unsupportedFileFormatVersion,
        strata_status.STRATA_FILE_NOT_FOUND.rawValue: .fileNotFound,
        strata_status.STRATA_PERMISSION.rawValue: .filePermissionDenied,
        strata_status.STRATA_NOT_A_FILE.rawValue: .fileOperationFailed,
        strata_status.STRATA_LINKED_FILE.rawValue: .fileAccess,
        strata_status.STRATA_REMOTE_FILE.rawValue: .fileAccess,
        strata_status.STRATA_REPLACED_FILE.rawValue: .fileAccess,
        strata_status.STRATA_FILE_EXISTS.rawValue: .fileExists,
        strata_status.STRATA_IN_USE.rawValue: .alreadyOpen,
        strata_status.STRATA_DISK_FULL.rawValue: .outOfDiskSpace,
        strata_status.STRATA_SIZE_LIMIT.rawValue: .addressSpaceExhausted,
        strata_status.STRATA_READ_ONLY.rawValue: .fileAccess,
        strata_status.STRATA_DUPLICATE.rawValue: .invalidInput,
        strata_status.STRATA_REFERENCED.rawValue: .invalidInput,
        strata_status.STRATA_TOO_LARGE.rawValue: .invalidInput,
        strata_status.STRATA_TYPE.rawValue: .invalidInput,
        strata_status.STRATA_RANGE.rawValue: .invalidInput,
        strata_status.STRATA_SCHEMA_MISMATCH.rawValue: .schemaMismatch,
        strata_status.STRATA_INVALID_SCHEMA.rawValue: .invalidInput,
        strata_status.STRATA_COMMIT_UNKNOWN.rawValue: .fileOperationFailed,
        strata_status.STRATA_POISONED.rawValue: .fileOperationFailed,
        strata_status.STRATA_BUSY.rawValue: .busy,
        strata_status.STRATA_INTERRUPTED.rawValue: .interrupted,
    ]
}
