// SPDX-License-Identifier: MIT
// Main.swift -- a web server that keeps notes in a file.
//
//   notes FILE [PORT]     prints its address; without a port the system chooses one

import Foundation
import NoteService

@main
enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let port = Int(arguments.count > 2 ? arguments[2] : "0") else {
            FileHandle.standardError.write(Data("usage: notes FILE [PORT]\n".utf8))
            exit(2)
        }
        try await Service(StrataNotebook(URL(fileURLWithPath: arguments[1]))).run(port: port)
    }
}
