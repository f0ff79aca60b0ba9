// SPDX-License-Identifier: MIT
// DirectRun.swift -- the work of the handlers without HTTP.

import Foundation
import NoteService
import Synchronization

/// Runs a handler again and again in many tasks, as many as the benchmark has connections.
struct DirectRun {
    let notebook: any Notebook
    let count: Int
    let seconds: Double
    static let tasks = 64

    /// Prints a line for each handler: its name, runs per second, and the 50th and 99th of 100 latencies in µs.
    func print() async throws {
        let (notebook, count) = (notebook, count)
        try await print("get") { _ = try await notebook.note($0 % count + 1) }
        try await print("page") { _ = try await notebook.notes(of: Sample.author($0), before: $0 % count, count: 20) }
        try await print("search") { _ = try await notebook.notes(containing: Sample.topic($0, of: count), count: 20) }
        try await print("put") {
            _ = try await notebook.edit($0 % count + 1, Draft(author: Sample.author($0), text: "direct \($0)"))
        }
        try await print("post") { _ = try await notebook.add(Draft(author: Sample.author($0), text: "direct \($0)")) }
    }

    private func print(_ name: String, _ run: @escaping @Sendable (Int) async throws -> Void) async throws {
        _ = try await measure(seconds / 4, run)
        let latencies = try await measure(seconds, run).sorted()
        let (half, most) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
        Swift.print(name, Int(Double(latencies.count) / seconds), Int(half / 1000), Int(most / 1000))
    }

    private func measure(
        _ seconds: Double, _ run: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [UInt64] {
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
        return try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var latencies: [UInt64] = [], number = task * 7919
                    var begin = DispatchTime.now().uptimeNanoseconds
                    while begin < end {
                        number = (number &* 48271 &+ 11) % 2_147_483_647
                        try await run(number)
                        let now = DispatchTime.now().uptimeNanoseconds
                        latencies.append(now - begin)
                        begin = now
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
