// SPDX-License-Identifier: MIT
// Writer.swift -- who commits: the queue of the observer, a thread, or another process.

import Foundation
import RealmSwift

protocol Writer {
    /// Begins to write, and may have ended when it returns.
    func begin(_ assignment: Assignment) throws
    /// When the commit had returned; asked after its delivery.
    func committed() throws -> Int
}

/// The observer's own realm, in a job of its queue.
final class OwnWriter: Writer, @unchecked Sendable {
    private let observer: Observer
    private var time = 0

    init(_ observer: Observer) { self.observer = observer }

    func begin(_ assignment: Assignment) {
        observer.queue.async { [self] in
            do { time = try assignment.write(observer.realm) } catch { fail("\(error)") }
        }
    }

    func committed() -> Int { observer.queue.sync { time } }
}

/// The calling thread.
final class ThreadWriter: Writer {
    private let realm: Realm
    private var time = 0

    init(_ file: URL) throws { realm = try Realm.open(file) }

    func begin(_ assignment: Assignment) throws { time = try assignment.write(realm) }

    func committed() -> Int { time }
}

/// A process that reads a line for each commit, and answers with the bytes of the time.
final class ProcessWriter: Writer {
    private let process = Process()
    private let lines = Pipe()
    private let times = Pipe()

    init(_ file: URL) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = ["write", file.path]
        process.standardInput = lines
        process.standardOutput = times
        try process.run()
        _ = try committed()  // it has opened the file
    }

    deinit {
        try? lines.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func begin(_ assignment: Assignment) throws {
        try lines.fileHandleForWriting.write(contentsOf: Data(assignment.line.utf8))
    }

    func committed() throws -> Int {
        guard let bytes = try times.fileHandleForReading.read(upToCount: 8), bytes.count == 8 else {
            throw Failure("the process that writes has ended")
        }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
    }

    /// What the process does.
    static func run(_ file: URL) throws {
        let realm = try Realm.open(file)
        var time = now()
        repeat {
            let bytes = withUnsafeBytes(of: time) { Data($0) }
            try FileHandle.standardOutput.write(contentsOf: bytes)
            guard let assignment = readLine().flatMap(Assignment.init) else { return }
            time = try assignment.write(realm)
        } while true
    }
}
