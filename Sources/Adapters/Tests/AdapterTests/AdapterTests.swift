// SPDX-License-Identifier: MIT

import Foundation
import Logging
import MetricsTestKit
import Strata
import StrataLogging
import StrataMetrics
import Synchronization
import Testing

final class Word: Object {
    @Persisted var text: String
}

/// Keeps what it is told.
private struct Kept: LogHandler {
    static let lines = Mutex<[String]>([])
    var metadata: Logging.Logger.Metadata = [:]
    var logLevel: Logging.Logger.Level = .trace

    subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { Self.lines.withLock { $0.append("\(event.level) \(event.message)") } }
}

@Suite(.serialized) struct AdapterTests {
    private func withFile(_ body: (Realm) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).realm")
        let configuration = Realm.Configuration(fileURL: url, objectTypes: [Word.self])
        try autoreleasepool { try body(Realm(configuration: configuration)) }
        try Realm.deleteFiles(for: configuration)
    }

    @Test func `events go to swift-log`() throws {
        let before = RealmLogger.shared
        defer { RealmLogger.shared = before }
        RealmLogger.shared = RealmLogger(Logging.Logger(label: "strata") { _ in Kept() })
        try withFile { _ in }
        let lines = Kept.lines.withLock { $0 }
        #expect(lines.contains { $0.hasPrefix("info '") && $0.hasSuffix("was created") })
        #expect(LogLevel.allCases.map { "\(Logging.Logger.Level($0))" } == [
            "info", "critical", "error", "warning", "info", "debug", "debug", "trace", "trace",
        ])
    }

    @Test func `figures go to swift-metrics`() throws {
        let factory = TestMetrics()
        let metrics = RealmMetrics(dimensions: [("file", "words")], factory: factory)
        try withFile { realm in
            metrics.record(try realm.statistics())
            for _ in 0..<3 { try realm.write { realm.create(Word.self, value: ["x"]) } }
            let figures = try realm.statistics()
            metrics.record(figures)
            let size = try factory.expectGauge("strata_file_bytes", [("file", "words")])
            #expect(size.lastValue == Double(figures.fileSize))
            #expect(try factory.expectCounter("strata_commits", [("file", "words")]).totalValue == 3)
        }
    }
}
