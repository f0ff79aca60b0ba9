// SPDX-License-Identifier: MIT
// main.swift -- the benchmark of all peers.
//
//   bench compare FILE [options]      all peers; a table, and FILE.json and FILE.svg
//   bench growth FILE [options]       Strata with 10,000, 100,000 and 1,000,000 objects (and N, if that is more)
//   bench docs PAGE COMPARE [GROWTH]  writes the tables and charts of such files into a page of the documents
//
// Options are those of options.c. BENCH_CODE and BENCH_BUILD in the environment are the size of the engine's machine
// code in bytes and the seconds of a cold build; they become rows of the table.

import Foundation
import LMDBPeer
import SQLitePeer
import StrataPeer
import Workload

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("bench: \(message)\n".utf8))
    exit(1)
}

/// Peers as the driver wants them: pointers that last.
func pointers(_ peers: [bench_peer]) -> [UnsafePointer<bench_peer>?] {
    peers.map { peer in
        let pointer = UnsafeMutablePointer<bench_peer>.allocate(capacity: 1)
        pointer.initialize(to: peer)
        return UnsafePointer(pointer)
    }
}

/// Reads the options behind the command and the file, and runs what they say.
func run(_ peers: [UnsafePointer<bench_peer>?], n: UInt64?) -> Report {
    var plan = bench_plan()
    plan.n = 1_000_000
    plan.rounds = 5
    plan.write_rounds = 3
    guard bench_options(peers, UInt32(peers.count), CommandLine.argc - 2, CommandLine.unsafeArgv + 2, &plan) else {
        exit(1)
    }
    if let n { plan.n = n }
    let results = UnsafeMutablePointer<bench_results>.allocate(capacity: 1)
    defer { results.deallocate() }
    bench_run(&plan, results)
    return Report(plan, results)
}

func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

func compare(_ peers: [UnsafePointer<bench_peer>?], _ file: String) throws {
    var report = run(peers, n: nil)
    let environment = ProcessInfo.processInfo.environment
    if let code = environment["BENCH_CODE"].flatMap(Double.init) {
        report.add("code", "machine code of the engine, its libraries left out", "KiB", code / 1024, target: 400)
    }
    if let seconds = environment["BENCH_BUILD"].flatMap(Double.init) {
        report.add("build", "cold build of the library", "s", seconds, target: 60)
    }
    print(report.machine.text)
    print("\(figure(Double(report.n))) persons; medians, and in brackets how many times Strata C's\n")
    let tables = [report.table(isWide: false), report.processor, report.allocations]
    print(tables.map(\.plain).joined(separator: "\n\n"))
    for name in [Report.c, Report.swift] {
        print("\n\(name): targets reached: \(report.score(name))", terminator: "")
        print("; lines in which another is better: \(report.losses(name))", terminator: "")
    }
    print("\n")
    try Report.write([report], file + ".json")
    try write(report.chart.svg, file + ".svg")
}

func grow(_ peers: [UnsafePointer<bench_peer>?], _ file: String) throws {
    let asked = CommandLine.arguments.first { $0.hasPrefix("N=") }.flatMap { UInt64($0.dropFirst(2)) } ?? 0
    let sizes: [UInt64] = [10_000, 100_000, 1_000_000] + (asked > 1_000_000 ? [asked] : [])
    let growth = Growth(reports: sizes.map { run(peers, n: $0) })
    print(growth.table(isWide: false).plain)
    try Report.write(growth.reports, file + ".json")
    try write(growth.chart.svg, file + ".svg")
}

let own = pointers([strata_peer, strataSwiftPeer])
let all = own + pointers([lmdb_peer, sqlite_peer, grdbPeer])
if bench_child(all, UInt32(all.count), CommandLine.argc, CommandLine.unsafeArgv) { exit(0) }
let arguments = CommandLine.arguments.dropFirst()
guard let command = arguments.first, arguments.count > 1 else { fail("what is to be done, and with which file?") }
switch command {
case "compare": try compare(all, arguments[2])
case "growth": try grow(own, arguments[2])
case "docs" where arguments.count == 3: try writeDocuments(arguments[2], arguments[3], nil)
case "docs" where arguments.count == 4: try writeDocuments(arguments[2], arguments[3], arguments[4])
default: fail("no such command: \(command)")
}
