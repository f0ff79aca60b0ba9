// SPDX-License-Identifier: MIT
// HTTPServer.swift -- answers requests on this machine, one thread for each connection.

import Glibc

/// An answer that is sent whole.
struct HTTPResponse {
    var status = 200
    var type = "application/json"
    var headers: [(String, String)] = []
    var body: [UInt8] = []

    init(_ status: Int, _ type: String, _ body: String) {
        self.status = status
        self.type = type
        self.body = Array(body.utf8)
    }

    init(type: String, bytes: [UInt8]) {
        self.type = type
        body = bytes
    }

    static let reasons = [
        200: "OK", 303: "See Other", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
        415: "Unsupported Media Type", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable",
    ]

    /// What every answer says: nothing of it may be used by other pages, or be kept.
    private static let always = [
        "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Resource-Policy: same-origin",
    ]

    /// - Parameter length: of the body; nil: it ends with the connection, or comes in chunks.
    func head(closing: Bool, length: Int?, isChunked: Bool = false) -> String {
        var lines = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "OK")", "Content-Type: \(type)"]
        if let length { lines.append("Content-Length: \(length)") }
        if isChunked { lines.append("Transfer-Encoding: chunked") }
        lines += Self.always
        if !headers.contains(where: { $0.0 == "Cache-Control" }) { lines.append("Cache-Control: no-store") }
        lines += headers.map { "\($0.0): \($0.1)" }
        lines.append("Connection: \(closing ? "close" : "keep-alive")")
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

/// One client. Used by its thread.
final class HTTPConnection {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// False if the client is gone, or does not take what it is sent.
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = Glibc.send(
                    descriptor, buffer.baseAddress! + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }

    func send(_ response: HTTPResponse, closing: Bool, headOnly: Bool = false) -> Bool {
        let head = Array(response.head(closing: closing, length: response.body.count).utf8)
        return send(headOnly ? head : head + response.body)
    }
}

/// An answer that is sent in chunks while it is made, so that it takes no memory. One that fails on the way has no last
/// chunk, so that the client knows.
final class HTTPStream {
    private static let chunk = 64 * 1024
    private let connection: HTTPConnection
    private let type: String
    private let deadline: Double
    private var bytes: [UInt8] = []
    private var hasBegun = false
    /// Of the answer. What comes after the first chunk was sent is too late.
    var headers: [(String, String)] = []

    /// - Parameter deadline: when all of it has to be sent, by `Progress.now`.
    init(_ connection: HTTPConnection, type: String, until deadline: Double) {
        self.connection = connection
        self.type = type
        self.deadline = deadline
    }

    /// Sends what `body` gives to the function that it is called with. What fails before anything was sent is thrown.
    func send(_ body: (@escaping (UnsafeRawBufferPointer) -> Bool) throws -> Void) throws {
        do {
            try body { [self] piece in
                bytes.append(contentsOf: piece)
                return bytes.count < Self.chunk || flush()
            }
        } catch {
            if !hasBegun { throw error }
            return
        }
        if flush() { _ = connection.send("0\r\n\r\n") }
    }

    private func flush() -> Bool {
        if Progress.now > deadline { return false }
        if !hasBegun {
            hasBegun = true
            var response = HTTPResponse(200, type, "")
            response.headers = headers
            guard connection.send(response.head(closing: true, length: nil, isChunked: true)) else { return false }
        }
        defer { bytes.removeAll(keepingCapacity: true) }
        if bytes.isEmpty { return true }
        return connection.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
    }
}

/// What answers requests.
protocol HTTPHandler: Sendable {
    /// Throws unless whoever sent this head may ask, before the rest is read.
    func admit(_ request: HTTPRequest) throws
    /// Called on the thread of the connection. `isOpen` says whether the answer was sent by the handler itself, and the
    /// connection is at its end.
    func answer(_ request: HTTPRequest, on connection: HTTPConnection) throws -> HTTPResponse?
}

/// A listening socket: of the loopback interface, or of the file system.
final class HTTPServer: @unchecked Sendable {
    private let descriptor: Int32
    let port: UInt16
    private let handler: any HTTPHandler
    private let room = ConnectionRoom()

    /// - Parameter port: 0 for any that is free.
    init(port: UInt16, handler: (UInt16) -> any HTTPHandler) throws(Failure) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        if !bound {
            throw Failure(.unavailable, "port \(port) cannot be used: \(String(cString: strerror(errno)))")
        }
        self.port = UInt16(bigEndian: address.sin_port)
        self.descriptor = descriptor
        self.handler = handler(self.port)
    }

    /// A socket in the file system, for this user alone.
    init(socketPath: String, handler: (UInt16) -> any HTTPHandler) throws(Failure) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(socketPath.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        if bytes.count >= room { throw Failure(.usage, "the path of a socket has at most \(room - 1) bytes") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let before = umask(0o177)
        Self.removeAbandoned(socketPath, address)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(descriptor, 64) == 0
            }
        }
        umask(before)
        if !bound {
            let why = String(cString: strerror(errno))
            var status = stat()
            let isOther = lstat(socketPath, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
            throw Failure(
                .unavailable,
                "\(socketPath) cannot be used: "
                    + (isOther ? "there is a file of that name, which is no socket; choose another one" : why))
        }
        port = 0
        self.descriptor = descriptor
        self.handler = handler(0)
    }

    /// Removes a socket of a server that has ended: nobody listens to it.
    private static func removeAbandoned(_ path: String, _ address: sockaddr_un) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(probe) }
        let failed = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) != 0
            }
        }
        if failed && errno == ECONNREFUSED { unlink(path) }
    }

    /// Serves for ever.
    func run() -> Never {
        while true {
            let client = accept(descriptor, nil, nil)
            if client < 0 {
                if errno == EMFILE || errno == ENFILE { usleep(100_000) }
                continue
            }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            // Whoever does not take an answer does not hold a thread for ever.
            var limit = timeval(tv_sec: 30, tv_usec: 0)
            setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let connection = HTTPConnection(client)
            guard room.enter(client) else {
                _ = connection.send(
                    HTTPResponse(503, "text/plain", "there are too many connections\n"), closing: true)
                continue
            }
            let isServed = runInBackground { [self] in
                serve(connection)
                room.leave(client)
            }
            if !isServed { room.leave(client) }
        }
    }

    private func serve(_ connection: HTTPConnection) {
        let reader = HTTPReader(connection.descriptor)
        while true {
            var isHead = false
            do {
                let next = try reader.next { request in
                    isHead = request.method == "HEAD"
                    try handler.admit(request)
                    room.answers(connection.descriptor)
                }
                guard let request = next else { return }
                let closing = request.headers["connection"]?.lowercased() == "close"
                guard let response = try handler.answer(request, on: connection) else { return }
                let sent = connection.send(response, closing: closing, headOnly: isHead)
                if !sent || closing { return }
                room.awaits(connection.descriptor)
            } catch let refusal as HTTPRefusal {
                let body = "\(JSONText.object(["error": .string(refusal.message)]))\n"
                let response = HTTPResponse(refusal.status, "application/json", body)
                _ = connection.send(response, closing: true, headOnly: isHead)
                return
            } catch {
                return
            }
        }
    }
}
