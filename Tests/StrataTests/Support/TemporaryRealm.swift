// SPDX-License-Identifier: MIT
// TemporaryRealm.swift -- a realm in a directory that removes itself.

import Foundation
import Strata
import Testing

/// A directory that is removed with its last reference, and realms in it.
final class TemporaryRealm {
    let directory: URL
    let types: [ObjectBase.Type]

    init(_ types: [ObjectBase.Type] = [Person.self, Dog.self, Everything.self]) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
        self.types = types
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var url: URL { directory.appendingPathComponent("test.realm") }

    var configuration: Realm.Configuration { Realm.Configuration(fileURL: url, objectTypes: types) }

    func open() throws -> Realm { try Realm(configuration: configuration) }
}

/// Runs a body with a new realm of some classes, and checks the file at the end.
func withRealm(
    _ types: [ObjectBase.Type] = [Person.self, Dog.self, Everything.self], _ body: (Realm) throws -> Void
) throws {
    let temporary = try TemporaryRealm(types)
    let realm = try temporary.open()
    try body(realm)
    if !realm.isInWriteTransaction { try realm.verify() }
}

/// Runs a body on a new thread and waits for it.
func onAnotherThread<R>(_ body: @escaping @Sendable () throws -> R) throws -> R {
    nonisolated(unsafe) var result: Result<R, any Error>?
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        result = Result { try body() }
        done.signal()
    }
    done.wait()
    return try result!.get()
}

/// Runs a closure while the system starts no further thread for this process.
func withoutThreads<R>(_ body: () async throws -> R) async throws -> R {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    var before = rlimit()
    getrlimit(resource, &before)
    var none = before
    none.rlim_cur = rlim_t(pages)! * rlim_t(getpagesize()) + 4 << 20  // less than a stack
    setrlimit(resource, &none)
    defer { setrlimit(resource, &before) }
    return try await body()
}

/// Expects that a process that was meant to fail wrote a message.
func expect(_ result: ExitTest.Result?, says message: String, _ location: SourceLocation = #_sourceLocation) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(message), sourceLocation: location)
}

/// Expects that a process that was meant to fail wrote exactly one message.
func expect(_ result: ExitTest.Result?, saysAll message: String, _ location: SourceLocation = #_sourceLocation) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let messages = said.split(separator: "\n").filter { $0.hasPrefix("Strata: ") }.map { String($0.dropFirst(8)) }
    #expect(messages == [message], sourceLocation: location)
}
