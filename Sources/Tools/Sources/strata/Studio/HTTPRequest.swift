// SPDX-License-Identifier: MIT
// HTTPRequest.swift -- a request of HTTP/1.1 (RFC 9112), read with limits.

import Glibc

/// What a client asks for.
struct HTTPRequest {
    let method: String
    /// Without the query, decoded.
    let path: String
    let query: [String: String]
    /// By lower-case names. Of repeated ones the last.
    let headers: [String: String]
    var body: [UInt8] = []

    /// Where it leads, without one of its parameters, or with another value of it. Always to this server.
    func target(without name: String, with value: String? = nil) -> String {
        var given = query
        given[name] = value
        let rest = given.sorted { $0.key < $1.key }
            .map { "\(Self.encoded($0.key))=\(Self.encoded($0.value))" }
        let place = path.hasPrefix("/") && !path.hasPrefix("//") ? Self.encoded(path, keeping: "/") : "/"
        return rest.isEmpty ? place : "\(place)?\(rest.joined(separator: "&"))"
    }

    private static func encoded(_ text: String, keeping signs: String = "") -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8).union(signs.utf8)
        var out = ""
        for byte in text.utf8 {
            let hex = String(byte, radix: 16, uppercase: true)
            out += plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
        }
        return out
    }

    var cookies: [String: String] {
        var found: [String: String] = [:]
        for part in (headers["cookie"] ?? "").split(separator: ";") {
            let halves = part.split(separator: "=", maxSplits: 1)
            if halves.count == 2 { found[halves[0].filter { $0 != " " }] = String(halves[1]) }
        }
        return found
    }
}

/// Why a request is not answered as it wants.
struct HTTPRefusal: Error {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Reads the requests of one connection. Nothing of a client is believed: sizes and times are limited.
final class HTTPReader {
    static let largestHead = 16 * 1024
    static let largestBody = 4 * 1024 * 1024
    /// Seconds in which a whole head, or a whole body, must come.
    static let patience = 5.0
    /// Seconds that a connection may rest between two requests.
    static let rest = 60.0

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Whoever has not asked anything yet has less time for it.
    private var rest = HTTPReader.patience

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next request; nil if the client has none.
    ///
    /// - Parameter admit: refuses a request by its head: a body is read, and takes memory, only of those that may ask.
    func next(admit: (HTTPRequest) throws -> Void) throws -> HTTPRequest? {
        guard try wait(until: Progress.now + rest, atBegin: true) else { return nil }
        let deadline = Progress.now + Self.patience
        var end = headEnd()
        while end == nil {
            if buffer.count > Self.largestHead { throw HTTPRefusal(431, "the head of the request is too large") }
            guard try receive(until: deadline) else { return nil }
            end = headEnd()
        }
        if end! > Self.largestHead { throw HTTPRefusal(431, "the head of the request is too large") }
        var request = try parse(String(decoding: buffer[..<end!], as: UTF8.self))
        buffer.removeFirst(end! + 4)
        if request.headers["transfer-encoding"] != nil { throw HTTPRefusal(501, "bodies have a Content-Length here") }
        let digits = request.headers["content-length"] ?? "0"
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(digits) else {
            throw HTTPRefusal(400, "Content-Length is no number")
        }
        if length > Self.largestBody { throw HTTPRefusal(413, "the body of the request is too large") }
        try admit(request)
        rest = Self.rest
        let bodyDeadline = Progress.now + Self.patience
        while buffer.count < length {
            guard try receive(until: bodyDeadline) else { return nil }
        }
        request.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return request
    }

    private func headEnd() -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { at in
            buffer[at] == 13 && buffer[at + 1] == 10 && buffer[at + 2] == 13 && buffer[at + 3] == 10
        }
    }

    // MARK: - Bytes

    private func wait(until deadline: Double, atBegin: Bool) throws -> Bool {
        if !buffer.isEmpty && atBegin { return true }
        while true {
            let left = deadline - Progress.now
            if left <= 0 {
                if atBegin { return false }
                throw HTTPRefusal(408, "the request took too long")
            }
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&item, 1, Int32(left * 1000) + 1)
            if ready < 0 && errno != EINTR { return false }
            if ready > 0 { return true }
        }
    }

    private func receive(until deadline: Double) throws -> Bool {
        guard try wait(until: deadline, atBegin: false) else { return false }
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count <= 0 { return false }
        buffer.append(contentsOf: bytes[..<count])
        return true
    }

    // MARK: - Text

    private func parse(_ head: String) throws -> HTTPRequest {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "HTTP/1.1", parts[1].hasPrefix("/") else {
            throw HTTPRefusal(400, "this is no request of HTTP/1.1")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line.first != " ", line.first != "\t" else {
                throw HTTPRefusal(400, "a header line is malformed")
            }
            let name = line[..<colon].lowercased()
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                throw HTTPRefusal(400, "the name of a header is malformed")
            }
            if name == "host" && headers["host"] != nil { throw HTTPRefusal(400, "there are two Host headers") }
            if name == "content-length" && headers[name] != nil { throw HTTPRefusal(400, "there are two lengths") }
            headers[name] = String(line[line.index(after: colon)...]).trimmed
        }
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = Self.decoded(target[0]), !path.utf8.contains(0) else {
            throw HTTPRefusal(400, "the address is malformed")
        }
        var query: [String: String] = [:]
        for pair in (target.count > 1 ? target[1] : "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]), let value = Self.decoded(halves.count > 1 ? halves[1] : "") else {
                throw HTTPRefusal(400, "the address is malformed")
            }
            query[name] = value
        }
        return HTTPRequest(method: String(parts[0]), path: path, query: query, headers: headers)
    }

    /// Percent signs and pluses decoded; nil if that is not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 48...57: return byte - 48
            case 65...70: return byte - 55
            case 97...102: return byte - 87
            default: return nil
            }
        }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(32)
            } else if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// Without spaces and tabs around it.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}
