// SPDX-License-Identifier: MIT
// SwiftPeer.swift -- peers that are written in Swift, as the driver sees them.

import Foundation
import Workload

/// A store that a Swift API has opened. What the methods are to do is written in peer.h.
class SwiftPeer {
    let folder: String
    let n: UInt64
    /// Persons that were committed one by one.
    var committed: UInt64 = 0

    init(folder: String, n: UInt64) throws {
        self.folder = folder
        self.n = n
    }

    func prepare(_ workload: bench_workload, _ count: UInt64) {}
    func run(_ workload: bench_workload, _ count: UInt64) throws -> Double { .nan }
    func settle() throws {}
    func reusable() throws -> Double { -1 }
    func makeReader(_ workload: bench_workload, _ count: UInt64) throws -> SwiftReader {
        fatalError("a peer without readers")
    }
}

/// What a thread reads with while another one writes.
class SwiftReader {
    func batch(from: UInt64, count: UInt64) throws -> UInt64 { 0 }
}

/// The object behind a handle of the driver.
func borrowed<Handle: AnyObject>(_ handle: UnsafeMutableRawPointer?, as type: Handle.Type) -> Handle {
    Unmanaged<Handle>.fromOpaque(handle!).takeUnretainedValue()
}
func retained(_ object: AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passRetained(object).toOpaque() }
func release(_ handle: UnsafeMutableRawPointer?) { Unmanaged<AnyObject>.fromOpaque(handle!).release() }

/// Ends the program if the body throws.
func must<Result>(_ body: () throws -> Result) -> Result {
    do {
        return try body()
    } catch {
        fatalError("\(error)")
    }
}

/// A peer whose stores `open` makes.
func makePeer(
    _ name: StaticString, _ title: StaticString, share: UInt32,
    open: @escaping @convention(c) (UnsafePointer<CChar>?, UInt64) -> UnsafeMutableRawPointer?
) -> bench_peer {
    func text(_ literal: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
    }
    return bench_peer(
        name: text(name), title: text(title), share: share, raw: false,
        open: open,
        close: { release($0) },
        prepare: { borrowed($0, as: SwiftPeer.self).prepare($1, $2) },
        run: { store, workload, count in must { try borrowed(store, as: SwiftPeer.self).run(workload, count) } },
        settle: { store in must { try borrowed(store, as: SwiftPeer.self).settle() } },
        reusable: { store in must { try borrowed(store, as: SwiftPeer.self).reusable() } },
        reader_open: { store, workload, count in
            must { retained(try borrowed(store, as: SwiftPeer.self).makeReader(workload, count)) }
        },
        reader_batch: { reader, from, count in
            must { try borrowed(reader, as: SwiftReader.self).batch(from: from, count: count) }
        },
        reader_close: { release($0) }
    )
}

// MARK: The objects of workload.h

extension bench_person {
    var nameText: String {
        withUnsafeBytes(of: name) { String(decoding: $0.prefix(BENCH_NAME_SIZE), as: UTF8.self) }
    }
    var emailText: String? {
        guard has_email else { return nil }
        return withUnsafeBytes(of: email) { String(decoding: $0.prefix(BENCH_EMAIL_SIZE), as: UTF8.self) }
    }
}

extension bench_dog {
    var nameText: String {
        withUnsafeBytes(of: name) { String(decoding: $0.prefix(Int(name_size)), as: UTF8.self) }
    }
}

/// An index of a person for each of `count` random operations.
func chosen(_ stream: bench_stream, _ n: UInt64, _ count: UInt64) -> some Sequence<Int> {
    (0..<count).lazy.map { Int(bench_choose(stream, n, $0)) }
}

/// Reads a text to its last byte, as the peers in C do.
func read(_ text: String) -> Int {
    var text = text
    return text.withUTF8 { Int(bench_text($0.baseAddress, UInt64($0.count))) }
}

/// Makes an object for each operation, in the order of the persons, so that an operation finds its object at a random
/// place in memory, as a program does that has fetched them for something else. `place` puts it where it belongs.
func spread(_ known: [Int], _ place: (_ operation: Int, _ index: Int) throws -> Void) rethrows {
    for operation in known.indices.sorted(by: { known[$0] < known[$1] }) { try place(operation, known[operation]) }
}

/// The persons that a workload knows when the clock starts, in the order in which it uses them; nil if it knows none.
func knownPersons(_ workload: bench_workload, _ n: UInt64, _ count: UInt64) -> [Int]? {
    switch workload {
    case BENCH_OWN_STRING, BENCH_FRESH_STRING, BENCH_LINK_STRING: Array(chosen(STREAM_KNOWN, n, count))
    case BENCH_LONG_STRING: (0..<Int(count)).map { [emailed = bench_emailed(n)!] in Int(emailed[$0]) }
    case BENCH_PROPERTY: Array(chosen(STREAM_LIVE, n, UInt64(BENCH_LIVE)))
    case BENCH_UPDATE_SCORES: Array(chosen(STREAM_CHANGED, n, count))
    case BENCH_UPDATE_AGES: Array(chosen(STREAM_AGED, n, count))
    case BENCH_OBSERVE_CHANGE: (0..<count).map { Int(bench_choose_hit(n, $0)) }
    case BENCH_DELETE: (0..<Int(count)).map { [order = bench_deleted(n)!] in Int(order[$0]) }
    default: nil
    }
}
