// SPDX-License-Identifier: MIT
// StudioGuard.swift -- who may ask.

/// Lets in the person who started the server, and no page of another site, whatever a browser is made to do.
struct StudioGuard: Sendable {
    /// What only the person who started the server knows: 128 bits, if it is not theirs.
    let token: String
    private let hosts: Set<String>
    /// Of this server alone: browsers keep the cookies of all ports of a machine together.
    let cookie: String

    /// - Parameters:
    ///   - port: 0 for a socket of the file system, whose permissions say who may ask.
    ///   - token: nil for a new one.
    init(port: UInt16, token given: String? = nil) {
        token = given ?? Self.newToken()
        cookie = "strata-\(port)"
        // Clients leave out the port that HTTP has by itself.
        let suffixes = port == 0 ? [""] : port == 80 ? [":80", ""] : [":\(port)"]
        let names = port == 0 ? ["localhost"] : ["127.0.0.1", "localhost"]
        hosts = Set(names.flatMap { name in suffixes.map { name + $0 } })
    }

    static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let byte = UInt8.random(in: 0...255, using: &random)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Throws unless the request comes from the page itself, or from a program that knows the token.
    func check(_ request: HTTPRequest) throws(HTTPRefusal) {
        guard let host = request.headers["host"], hosts.contains(host) else {
            throw HTTPRefusal(421, "this server is not known by that name")
        }
        if let origin = request.headers["origin"], origin != "http://\(host)" {
            throw HTTPRefusal(403, "pages of other sites may not ask")
        }
        if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
            throw HTTPRefusal(403, "pages of other sites may not ask")
        }
        guard request.method == "GET" || request.method == "HEAD" || request.method == "POST" else {
            throw HTTPRefusal(405, "there are GET, HEAD and POST")
        }
    }

    /// Whether the request has a token, of this server or not.
    func hasToken(_ request: HTTPRequest) -> Bool {
        request.headers["authorization"] != nil || request.cookies[cookie] != nil
    }

    /// Whether the request has the token: in its cookie, or as `Authorization: Bearer`.
    func knows(_ request: HTTPRequest) -> Bool {
        let bearer = request.headers["authorization"].flatMap {
            $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil
        }
        return Self.isEqual(request.cookies[cookie] ?? "", token) || Self.isEqual(bearer ?? "", token)
    }

    func admits(_ given: String) -> Bool { Self.isEqual(given, token) }

    /// Takes as long for every text of that size.
    private static func isEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
