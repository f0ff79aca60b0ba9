// SPDX-License-Identifier: MIT
// Studio.swift -- studio.

import ArgumentParser
import Glibc

struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a file in a browser.",
        discussion: """
            EXAMPLES
              strata studio zoo.realm
              strata studio zoo.realm --port 8080
              ssh -L 8080:127.0.0.1:8080 host strata studio zoo.realm --port 8080

            Prints an address with a token; whoever opens it sees the file, and nobody else. The server listens on \\
            this machine alone, and only reads unless it is told to --write. Ends with Ctrl-C.
            """)

    @OptionGroup var file: FileArgument
    @Option(help: "The port; 0 for one that is free.")
    var port: UInt16 = 0
    @Option(help: "A socket in the file system instead of a port, for this user alone.", completion: .file())
    var socket: String?
    @Flag(help: "Let the page change objects, one at a time.")
    var write = false
    @Option(help: ArgumentHelp("Read the page from this folder.", visibility: .hidden))
    var assets: String?

    func run() throws {
        _ = try StoreFile(file.file, for: write ? .writing : .reading)
        signal(SIGPIPE, SIG_IGN)
        let path = file.file, assets = StudioAssets(folder: assets), canWrite = write
        var token = ""
        func handler(_ port: UInt16) -> any HTTPHandler {
            let access = StudioGuard(port: port)
            token = access.token
            return StudioHandler(path: path, access: access, assets: assets, canWrite: canWrite)
        }
        if let socket {
            let server = try HTTPServer(socketPath: socket, handler: handler)
            Terminal.write("\(socket)  token \(token)\n")
            server.run()
        }
        let server = try HTTPServer(port: port, handler: handler)
        Terminal.write("http://127.0.0.1:\(server.port)/?token=\(token)\n")
        server.run()
    }
}
