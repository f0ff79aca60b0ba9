// SPDX-License-Identifier: MIT
// Server.swift -- a web server that keeps notes in a file.
//
//   notes FILE [PORT]     prints its address; without a port the system chooses one
//
//   POST /notes           stores a note, {"author": "Ada", "text": "..."}, and answers with it
//   GET /notes            all notes

import Foundation
import Hummingbird
import RealmSwift

@main
enum Server {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let port = Int(arguments.count > 2 ? arguments[2] : "0") else {
            FileHandle.standardError.write(Data("usage: notes FILE [PORT]\n".utf8))
            exit(2)
        }
        Realm.Configuration.defaultConfiguration = Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[1]))
        try Notebook.check()

        let application = Application(
            router: router(),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let address = "http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
                FileHandle.standardOutput.write(Data(address.utf8))
            })
        try await application.runService()
    }

    static func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.post("notes") { request, context in
            let draft = try await request.decode(as: Notebook.Draft.self, context: context)
            return EditedResponse(status: .created, response: try Notebook.add(draft))
        }
        router.get("notes") { _, _ in try Notebook.all() }
        return router
    }
}
