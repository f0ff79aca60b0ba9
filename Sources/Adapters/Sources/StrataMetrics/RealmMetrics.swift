// SPDX-License-Identifier: MIT
// RealmMetrics.swift -- figures about a file, in the metrics of a server.

public import CoreMetrics
public import Metrics
public import Strata
import Synchronization

/// Reports figures about a file to swift-metrics: `strata_file_bytes`, `strata_used_bytes`, `strata_free_bytes`,
/// `strata_held_bytes` and `strata_pins` as gauges, and `strata_commits` as a counter.
///
/// ```swift
/// let metrics = RealmMetrics(dimensions: [("file", "notes")])
/// while !Task.isCancelled {
///     try await store.read { realm in try metrics.record(realm.statistics()) }
///     try await Task.sleep(for: .seconds(10))
/// }
/// ```
///
/// Thread: any.
public final class RealmMetrics: Sendable {
    private let fileSize, usedSize, freeSize, heldSize, pins: Gauge
    private let commits: CommitCounter

    /// Makes the metrics, with dimensions that tell files apart.
    public init(dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory) {
        func gauge(_ label: String) -> Gauge { Gauge(label: label, dimensions: dimensions, factory: factory) }
        fileSize = gauge("strata_file_bytes")
        usedSize = gauge("strata_used_bytes")
        freeSize = gauge("strata_free_bytes")
        heldSize = gauge("strata_held_bytes")
        pins = gauge("strata_pins")
        commits = CommitCounter(
            Counter(label: "strata_commits", dimensions: dimensions, factory: factory))
    }

    /// Reports the figures. Commits are counted from the first call on.
    public func record(_ statistics: Realm.Statistics) {
        fileSize.record(statistics.fileSize)
        usedSize.record(statistics.usedSize)
        freeSize.record(statistics.freeSize)
        heldSize.record(statistics.heldSize)
        pins.record(statistics.pins)
        commits.record(statistics.version)
    }
}

/// Counts versions by their numbers.
private final class CommitCounter: Sendable {
    private let counter: Counter
    private let last = Mutex<UInt64?>(nil)

    init(_ counter: Counter) { self.counter = counter }

    func record(_ version: UInt64) {
        let new = last.withLock { last in
            defer { last = max(last ?? version, version) }
            return version - min(last ?? version, version)
        }
        if new > 0 { counter.increment(by: Int64(new)) }
    }
}
