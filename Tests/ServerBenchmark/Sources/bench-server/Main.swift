// SPDX-License-Identifier: MIT
// Main.swift -- the service of the example over Strata, over GRDB, and over a dictionary.
//
//   bench-server serve PEER FOLDER COUNT             answers requests, COUNT notes being there at first
//   bench-server direct PEER FOLDER COUNT SECONDS    measures the same work without HTTP
//
// PEER is strata, grdb or dictionary.

import Foundation
import NoteService

@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let count = Int(arguments[4]) else { usage() }
        let notebook = try await notebook(arguments[2], arguments[3])
        if count > 0, try await notebook.count() == 0 { try await notebook.load(Sample.notes(count)) }
        switch arguments[1] {
        case "serve": try await serve(notebook)
        case "direct":
            guard let seconds = arguments.dropFirst(5).first.flatMap(Double.init) else { usage() }
            try await DirectRun(notebook: notebook, count: count, seconds: seconds).print()
        default: usage()
        }
    }

    private static func notebook(_ peer: String, _ folder: String) async throws -> any Notebook {
        switch peer {
        case "strata": try await StrataNotebook(URL(fileURLWithPath: folder + "/notes.realm"))
        case "grdb": try GRDBNotebook(folder + "/notes.sqlite")
        case "dictionary": DictionaryNotebook()
        default: usage()
        }
    }

    /// Of the type of the notebook, so that the handlers call it as they do in the example.
    private static func serve(_ notebook: some Notebook) async throws { try await Service(notebook).run(port: 0) }

    private static func usage() -> Never {
        let text = "usage: bench-server serve|direct strata|grdb|dictionary FOLDER COUNT [SECONDS]\n"
        FileHandle.standardError.write(Data(text.utf8))
        exit(2)
    }
}
