// SPDX-License-Identifier: MIT
// FileMigration.swift -- brings a file to the version of a program, or finds out what that would do.

import Foundation

/// Brings a file that has a lower version to the classes of a program.
struct FileMigration {
    let store: EngineStore
    let layouts: [ClassLayout]
    let schema: Schema
    let configuration: Realm.Configuration

    init(_ store: EngineStore, _ layouts: [ClassLayout], _ configuration: Realm.Configuration) throws(StrataError) {
        self.store = store
        self.layouts = layouts
        self.configuration = configuration
        schema = Schema(layouts.map(\.schema))
        try schema.validate(layouts.flatMap(\.problems) + ProjectedProperties.problems(of: layouts))
    }

    /// Does what is to be done. Nothing, if the file has the version of the program, a higher one or none, or if there is
    /// no block and the declaration alone settles the differences.
    func run() throws(StrataError) {
        let view = try EngineView(store)
        guard view.needsMigration(to: configuration.schemaVersion) else { return }
        let logger = RealmLogger.shared, start = ContinuousClock.now
        let expected = try SchemaDifference.find(view, schema)
        logger.log(
            level: .detail,
            message: "\(configuration.place): from schema version \(view.schemaVersion) to "
                + "\(configuration.schemaVersion):" + SchemaDifference.table(expected))
        if configuration.migrationBlock == nil && expected.allSatisfy(\.isSettledByDeclaration) { return }
        guard let work = try begin(view) else { return }
        let differences = work.differences
        let isSafe = differences.allSatisfy(\.mark.keepsValues)
        let previous = isSafe || !configuration.keepsPreviousFile ? nil : PreviousFile(configuration)
        do throws(StrataError) {
            try previous?.keep(store)
            try work.perform(configuration.migrationBlock, from: work.oldVersion)
            if configuration.migrationBlock == nil { warn(differences) }
            try work.newSession.commitUnasked()
        } catch {
            work.cancel()
            previous?.drop()
            throw work.failure == nil ? naming(error, work.oldVersion) : error
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        logger.log(
            level: .info,
            message: "\(configuration.place) was migrated from schema version \(work.oldVersion) to "
                + "\(configuration.schemaVersion) in \(String(format: "%.3f", time)) s")
    }

    /// The error with the file and the versions in its message.
    private func naming(_ error: StrataError, _ version: UInt64) -> StrataError {
        StrataError(
            error.code,
            "\(configuration.place) cannot be migrated from schema version \(version) to "
                + "\(configuration.schemaVersion): \(error.message)",
            systemCode: error.systemCode, fileURL: configuration.fileURL)
    }

    /// Whether the file has another version, or properties that differ.
    func isNeeded() throws(StrataError) -> Bool {
        let view = try EngineView(store)
        if view.schemaVersion == EngineView.noSchema { return false }
        if view.schemaVersion != configuration.schemaVersion { return true }
        return try SchemaDifference.find(view, schema).contains { !$0.isAccepted }
    }

    /// Does everything in a copy of the file that has this path.
    func rehearse(of path: String) throws(StrataError) -> MigrationReport {
        let view = try EngineView(store)
        let from = view.schemaVersion, bytesBefore = store.sizes.file
        var differences = try SchemaDifference.find(view, schema)
        let start = ContinuousClock.now
        var failure: String?, losses: [MigrationReport.Loss] = [], failures: [MigrationReport.Failure] = []
        var counts: [String: MigrationReport.Counts] = [:]
        do throws(StrataError) {
            if view.needsMigration(to: configuration.schemaVersion), let work = try begin(view) {
                defer { work.cancel() }
                differences = work.differences
                do throws(StrataError) {
                    try work.perform(configuration.migrationBlock, from: work.oldVersion) { () throws(StrataError) in
                        losses = work.losses(differences)
                        failures = try work.failures()
                    }
                    counts = work.counts
                    try work.newSession.commitUnasked()
                } catch {
                    counts = work.counts
                    if let stopped = work.stoppedAt { failures.append(stopped) }
                    throw error
                }
            } else {
                try EngineView(store).apply(schema.declaration, version: configuration.schemaVersion)
            }
        } catch {
            failure = error.message.replacingOccurrences(of: store.path, with: path)
        }
        let time = ContinuousClock.now - start
        return MigrationReport(
            fromVersion: from, toVersion: configuration.schemaVersion, differences: differences, counts: counts,
            losses: losses, failures: failures, failure: failure, seconds: time / .seconds(1), bytesBefore: bytesBefore,
            bytesAfter: store.sizes.file)
    }

    /// The objects before and after; nil if another process has migrated the file meanwhile.
    private func begin(_ view: EngineView) throws(StrataError) -> MigrationWork? {
        // What was before is looked at when nobody else can write any more, because this may wait for other writers.
        guard try view.beginMigration(to: schema.declaration, version: configuration.schemaVersion) else { return nil }
        do throws(StrataError) {
            let old = try EngineView(store)
            return MigrationWork(
                old: try Session(before: old, Schema(inFile: old)), old.schemaVersion,
                differences: try SchemaDifference.find(old, schema), new: view, layouts, schema, configuration)
        } catch {
            view.cancel()
            throw error
        }
    }

    /// Without a block, values go silently where Realm's rules say so; here they are told of.
    private func warn(_ differences: [SchemaDifference]) {
        let lost = differences.filter { $0.mark == .losesData }
        if lost.isEmpty { return }
        let text =
            "\(configuration.place): schema version \(configuration.schemaVersion) without a migrationBlock:"
                + SchemaDifference.table(lost)
        RealmLogger.shared.log(level: .warn, message: text)
        EngineLog.current?(text)
    }
}

extension MigrationWork {
    /// Runs the block and settles the file, but for the commit.
    ///
    /// - Parameter beforeSettling: called when the block has returned.
    func perform(
        _ block: MigrationBlock?, from version: UInt64, _ beforeSettling: () throws(StrataError) -> Void = {}
    ) throws(StrataError) {
        block?(Migration(work: self), version)
        failIfCancelled()
        if newSession.failure == nil { try beforeSettling() }
        try finish()
    }
}

extension EngineView {
    /// Whether the file has a schema of a lower version.
    func needsMigration(to version: UInt64) -> Bool {
        schemaVersion != EngineView.noSchema && schemaVersion < version
    }
}

extension Schema {
    /// The classes of a file, as it has them.
    init(inFile view: EngineView) {
        self.init((0..<view.tableCount).compactMap { table in
            view.tableName(table).flatMap { $0.isEmpty ? nil : DynamicLayout.of(table: $0, view)?.schema }
        })
    }
}
