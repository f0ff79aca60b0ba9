// SPDX-License-Identifier: MIT
// Cell.swift -- the cells of the table: what is observed, and who writes.

import Foundation

/// A row.
enum Kind: String, CaseIterable {
    case results, sorted, object

    var title: String {
        switch self {
        case .results: "results"
        case .sorted: "results, the sort key changed"
        case .object: "an object"
        }
    }

    /// What is assigned. Only the key decides anything.
    var property: ReferenceWritableKeyPath<Person, Int> { self == .sorted ? \.key : \.created }
}

/// A column.
enum Way: String, CaseIterable {
    case ownQueue = "own-queue"
    case anotherThread = "another-thread"
    case ownMain = "own-main"
    case threadMain = "thread-main"
    case anotherProcess = "another-process"

    var title: String {
        switch self {
        case .ownQueue: "its own queue writes"
        case .anotherThread: "another thread"
        case .ownMain: "own write on the main loop"
        case .threadMain: "thread, main loop"
        case .anotherProcess: "another process"
        }
    }

    /// Where the closure is called.
    var queue: DispatchQueue {
        switch self {
        case .ownMain, .threadMain: .main
        case .ownQueue, .anotherThread, .anotherProcess: DispatchQueue(label: "observer")
        }
    }

    func writer(beside observer: Observer, _ file: URL) throws -> any Writer {
        switch self {
        case .ownQueue, .ownMain: OwnWriter(observer)
        case .anotherThread, .threadMain: try ThreadWriter(file)
        case .anotherProcess: try ProcessWriter(file)
        }
    }
}

/// A row and a column, among so many persons.
struct Cell: Hashable, CustomStringConvertible {
    let kind: Kind
    let way: Way
    let count: Int

    var description: String { "\(kind.rawValue), \(way.rawValue), \(count) persons" }
}
