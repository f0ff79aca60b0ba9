// SPDX-License-Identifier: MIT
// Service.swift -- the requests, and what answers them.
//
//   GET /notes/ID                       a note
//   GET /notes?author=NAME[&before=ID]  a page of an author's notes, the newest first
//   GET /search?text=TEXT               notes that contain a text, the newest first
//   POST /notes                         keeps a note, {"author": "Ada", "text": "..."}, and answers with it
//   PUT /notes/ID                       writes a note anew

import Foundation
import Hummingbird

public struct Service<Notes: Notebook> {
    /// The most notes that an answer holds.
    private static var pageSize: Int { 20 }
    private let notebook: Notes

    public init(_ notebook: Notes) { self.notebook = notebook }

    /// Answers requests on a port of this machine until the process is told to end. Prints its address.
    ///
    /// - Parameter port: 0 for one that is free.
    public func run(port: Int) async throws {
        let application = Application(
            router: router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let address = "http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
                FileHandle.standardOutput.write(Data(address.utf8))
            })
        try await application.runService()
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("notes/{id}") { [notebook] _, context in
            try await found(notebook.note(context.parameters.require("id", as: Int.self)))
        }
        router.get("notes") { [notebook] request, _ in
            let query = request.uri.queryParameters
            let before = try query["before"].map { _ in try query.require("before", as: Int.self) }
            return try await notebook.notes(
                of: query.require("author"), before: before ?? .max, count: Self.pageSize)
        }
        router.get("search") { [notebook] request, _ in
            try await notebook.notes(
                containing: request.uri.queryParameters.require("text"), count: Self.pageSize)
        }
        router.post("notes") { [notebook] request, context in
            let draft = try await request.decode(as: Draft.self, context: context)
            return EditedResponse(status: .created, response: try await notebook.add(draft))
        }
        router.put("notes/{id}") { [notebook] request, context in
            let draft = try await request.decode(as: Draft.self, context: context)
            return try await found(notebook.edit(context.parameters.require("id", as: Int.self), draft))
        }
        return router
    }
}

private func found<Answer>(_ note: Answer?) throws -> Answer {
    guard let note else { throw HTTPError(.notFound) }
    return note
}
