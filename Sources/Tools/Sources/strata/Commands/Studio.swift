// SPDX-License-Identifier: MIT
// Studio.swift -- studio and serve.

import ArgumentParser
import Glibc

/// A command that goes on until the program ends.
protocol ServingCommand: ParsableCommand {}

struct Studio: ServingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a file in a browser.",
        discussion: """
            EXAMPLES
              strata studio zoo.realm
              strata studio zoo.realm --port 8080
              ssh -L 8080:127.0.0.1:8080 host strata studio zoo.realm --port 8080

            Prints an address with a token; whoever opens it sees the file, and nobody else. The server listens on \
            this machine alone, and only reads unless it is told to --write. Ends with Ctrl-C.
            """)

    @OptionGroup var file: FileArgument
    @OptionGroup var place: ServerPlace
    @Flag(help: "Let the page change objects, one at a time.")
    var write = false
    @Option(help: ArgumentHelp("Read the page from this folder.", visibility: .hidden))
    var assets: String?

    func run() throws {
        try place.serve(file.file, assets: StudioAssets(folder: assets), canWrite: write, token: nil) {
            address, token in
            "\(address)?token=\(token)"
        }
    }
}

struct Serve: ServingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer the questions of programs about a file, over HTTP.",
        discussion: """
            EXAMPLES
              strata serve zoo.realm --port 8080 --token-file token
              curl -H "Authorization: Bearer $(cat token)" \\
                  "http://127.0.0.1:8080/rows.ndjson?q=Dog%20where%20age%20%3E%203"

            The addresses are those of the studio, without its page; / lists them. Each request has the token. The \
            server listens on this machine alone, and only reads unless it is told to --write: then /create, /edit and \
            /delete take JSON, in which each value of a property is JSON in a string, "9" or "\\"Rex\\"". Ends with \
            Ctrl-C.
            """)

    @OptionGroup var file: FileArgument
    @OptionGroup var place: ServerPlace
    @Flag(help: "Let requests change objects, one at a time.")
    var write = false
    @Option(
        help: "A file with the token, for this user alone; made if it is missing. Without it a new one is printed.",
        completion: .file()
    )
    var tokenFile: String?

    func run() throws {
        let token = try tokenFile.map(Self.read)
        try place.serve(file.file, assets: nil, canWrite: write, token: token) { address, made in
            token == nil ? "\(address)  token \(made)" : address
        }
    }

    /// Makes a file with a new token.
    private static func make(_ path: String) throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { throw Failure(.unavailable, "\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let line = Array((StudioGuard.newToken() + "\n").utf8)
        if Glibc.write(file, line, line.count) != line.count { throw NewFile.cannotWrite(path) }
    }

    /// Reads a token. A file that others may read keeps no secret.
    private static func read(_ path: String) throws(Failure) -> String {
        var status = stat()
        if access(path, F_OK) != 0 && errno == ENOENT { try make(path) }
        guard let file = fopen(path, "r") else {
            throw Failure(.unavailable, "\(path): \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        guard fstat(fileno(file), &status) == 0, status.st_mode & 0o077 == 0 else {
            throw Failure(.unavailable, "\(path): others may read it; chmod 600 keeps the token to you")
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let token = String(decoding: bytes[..<count], as: UTF8.self).trimmingSpaces
        guard token.utf8.count >= 16, token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw Failure(.usage, "\(path): a token has 16 letters, digits and signs at least, and no spaces")
        }
        return token
    }
}

/// Where a server listens.
struct ServerPlace: ParsableArguments {
    @Option(help: "The port; without it, or with 0, one that is free.")
    var port: UInt16?
    @Option(help: "A socket in the file system instead of a port, for this user alone.", completion: .file())
    var socket: String?
    @Option(help: ArgumentHelp("Milliseconds that an answer may take.", visibility: .hidden))
    var patience: UInt64?

    func validate() throws {
        if port != nil && socket != nil { throw ValidationError("Choose one of --port and --socket.") }
    }

    /// Serves for ever.
    ///
    /// - Parameter told: the line that is printed of an address and a token.
    func serve(
        _ path: String, assets: StudioAssets?, canWrite: Bool, token: String?,
        told: (_ address: String, _ token: String) -> String
    ) throws -> Never {
        _ = try StoreFile(path, for: canWrite ? .writing : .reading, resident: StoreFile.residentOfServer)
        signal(SIGPIPE, SIG_IGN)
        var made = ""
        func handler(_ port: UInt16) -> any HTTPHandler {
            let access = StudioGuard(port: port, token: token)
            made = access.token
            return StudioHandler(
                path: path, access: access, assets: assets, canWrite: canWrite, patience: patience)
        }
        if let socket {
            let server = try HTTPServer(socketPath: socket, handler: handler)
            Terminal.write("\(socket)\(token == nil ? "  token \(made)" : "")\n")
            server.run()
        }
        let server = try HTTPServer(port: port ?? 0, handler: handler)
        let address = "http://127.0.0.1:\(server.port)/"
        Terminal.write("\(told(address, made))\n")
        server.run()
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let isSpace = { (letter: Character) in letter.isWhitespace }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
