// SPDX-License-Identifier: MIT
// StudioHandler.swift -- the addresses of the studio.

import CStrata
import Glibc

/// Answers for one file. Each connection has its own view of it, since views belong to threads.
final class StudioHandler: HTTPHandler {
    let path: String
    let access: StudioGuard
    /// The page; nil for a server that programs alone ask.
    let assets: StudioAssets?

    let canWrite: Bool
    private let feed: StudioFeed

    /// How long a question or a change may take, in milliseconds.
    private let patience: UInt64
    /// How long a table may, which is sent while it is made, as slowly as the client takes it.
    private let patienceOfTables: UInt64

    /// - Parameter patience: in milliseconds, instead of what people have.
    init(path: String, access: StudioGuard, assets: StudioAssets?, canWrite: Bool, patience: UInt64? = nil) {
        self.canWrite = canWrite
        self.patience = patience ?? 10_000
        patienceOfTables = patience ?? 120_000
        feed = StudioFeed(path: path, access: canWrite ? .writing : .reading)
        self.path = path
        self.access = access
        self.assets = assets
    }

    /// The bytes of memory that the sort of a question may take. That is enough for the first half a million objects.
    private static let mostOfSort: UInt64 = 32 << 20

    /// The token of a page that is entered by the printed address.
    private func token(ofAddress request: HTTPRequest) -> String? { assets == nil ? nil : request.query["token"] }

    func admit(_ request: HTTPRequest) throws {
        try access.check(request)
        if let token = token(ofAddress: request) {
            guard access.admits(token) else { throw HTTPRefusal(401, "the token is another one") }
            return
        }
        guard access.knows(request) else {
            let way =
                assets == nil
                ? "send the token in a header: Authorization: Bearer" : "open the address that strata studio printed"
            let what = access.hasToken(request) ? "the token is another one" : "a token is missing"
            throw HTTPRefusal(401, "\(what); \(way)")
        }
    }

    func answer(_ request: HTTPRequest, on connection: HTTPConnection) throws -> HTTPResponse? {
        if token(ofAddress: request) != nil { return enter(request) }
        if request.method == "POST" { return try change(request, on: connection) }
        if let asset = assets?.asset(request.path) { return assets!.answer(asset, request) }
        if request.path == "/" { return HTTPResponse(Self.addresses) }
        let file = try open()
        if request.path == "/events" {
            if request.method == "HEAD" { return HTTPResponse(200, "text/event-stream", "") }
            guard feed.pageCame() else { throw HTTPRefusal(503, "too many pages listen") }
            defer { feed.pageWent() }
            StudioEvents(file: file, feed: feed).run(request, on: connection)
            return nil
        }
        return try answer(request, file, on: connection)
    }

    /// What can be asked, for programs.
    private static let addresses = JSONText.object([
        "/catalog.json, or /schema.json": .string("classes, properties, counts"),
        "/rows.json?q=QUERY&skip=0&limit=100": .string("a window of a result, with keys and the plan"),
        "/rows.ndjson?q=QUERY&skip=0&limit=100000": .string(
            "a result, 100,000 objects at most; a header Link leads to the rest"),
        "/rows.csv?q=QUERY&skip=0&limit=100000": .string("the same"),
        "/object.json?class=CLASS&primary=KEY": .string("one object; or &key=, its object key"),
        "/facets.json?q=QUERY&property=NAME": .string("the commonest values of a property"),
        "/place.json?q=QUERY&object=KEY&near=PLACE": .string("where an object is in a result"),
        "/commits.json?from=NUMBER, or /changes.json": .string("the last commits"),
        "/commit.json?number=NUMBER": .string("what one of them changed"),
        "/events": .string("an event for new commits"), "/file.json": .string("sizes and readers"),
        "/schema.txt": .string("the schema as text"),
        "/object.csv, /facets.csv, /commits.csv, /commit.csv, /file.csv, /schema.csv": .string(
            "the object, values, commits, changes, parts of the file, properties: as a table"),
        "POST /edit": .string("class, key, seal, values: with --write; values are JSON in strings"),
        "POST /create": .string(
            #"class, values: with --write, such as {"class":"Dog","values":{"name":"\"Rex\"","age":"9"}}"#),
        "POST /delete": .string("class, key, seal: with --write"),
    ])

    /// The token of the printed address becomes a cookie, and leaves the address.
    private func enter(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse(303, "text/plain", "")
        response.headers = [
            ("Location", request.target(without: "token")),
            ("Set-Cookie", "\(access.cookie)=\(access.token); HttpOnly; SameSite=Strict; Path=/"),
        ]
        return response
    }

    /// Changes are JSON, which no form of another page can send without asking first.
    private func change(_ request: HTTPRequest, on connection: HTTPConnection) throws -> HTTPResponse {
        guard canWrite else {
            throw HTTPRefusal(405, "this studio only reads; start it with --write to change something")
        }
        guard request.headers["content-type"] == "application/json" else {
            throw HTTPRefusal(415, "changes are sent as application/json")
        }
        guard ["/edit", "/create", "/delete"].contains(request.path) else {
            throw HTTPRefusal(404, "there is no such address")
        }
        guard let body = JSONValue(request.body) else { throw HTTPRefusal(400, "the body is no JSON") }
        do {
            let file = try open()
            return try file.limited(to: patience, sortBytes: Self.mostOfSort, for: connection) {
                HTTPResponse(try StudioEdit(file: file).answer(request.path, body))
            }
        } catch let failure as Failure {
            let isLate = failure.exit == .busy || failure.isInterrupted
            throw HTTPRefusal(failure.exit == .usage ? 400 : isLate ? 503 : 500, told(failure))
        }
    }

    /// What whoever asks can do about a failure; the engine speaks to programs that have the file open themselves.
    private func told(_ failure: Failure) -> String {
        if failure.status != .STRATA_REPLACED_FILE { return failure.message }
        return "'\(path)' was deleted, moved or replaced while it was open; end this server, and start it again"
    }

    /// A process opens a file in one way only.
    private func open() throws -> StoreFile {
        do {
            return try StoreFile(
                path, for: canWrite ? .writing : .reading, resident: StoreFile.residentOfServer)
        } catch {
            throw HTTPRefusal(503, told(error))
        }
    }

    private func number(_ request: HTTPRequest, _ name: String) throws(HTTPRefusal) -> UInt64 {
        guard let number = UInt64(request.query[name] ?? "0") else { throw HTTPRefusal(400, "'\(name)' is no number") }
        return number
    }

    private func answer(
        _ request: HTTPRequest, _ file: StoreFile, on connection: HTTPConnection
    ) throws -> HTTPResponse? {
        let isTable = ["/rows.csv", "/rows.ndjson", "/object.csv"].contains(request.path)
        let patience = isTable ? patienceOfTables : patience
        do {
            return try file.limited(to: patience, sortBytes: Self.mostOfSort, for: connection) {
                if !isTable { return try answer(request, StudioData(file: file)) }
                return try sendTable(request, StudioData(file: file), on: connection, patience)
            }
        } catch let failure as Failure {
            let isWrong = failure.exit == .usage || failure.exit == .no
            throw HTTPRefusal(failure.isInterrupted ? 503 : isWrong ? 400 : 500, told(failure))
        }
    }

    private func answer(_ request: HTTPRequest, _ data: StudioData) throws -> HTTPResponse {
        switch request.path {
        case "/catalog.json", "/schema.json": return HTTPResponse(try data.catalogJSON(canWrite: canWrite))
        case "/rows.json": return HTTPResponse(try data.rows(request))
        case "/place.json": return HTTPResponse(try data.place(request))
        case "/object.json": return HTTPResponse(try data.object(request, withTexts: canWrite))
        case "/facets.json": return HTTPResponse(try data.facets(request))
        case "/commits.json", "/changes.json": return HTTPResponse(try commits(request))
        case "/commit.json": return HTTPResponse(try commit(request))
        case "/file.json": return HTTPResponse(try data.fileFigures())
        case "/schema.txt": return HTTPResponse(200, "text/plain; charset=utf-8", try Declaration(data.file).text)
        case "/schema.csv":
            return HTTPResponse(CSVText(data.properties(), ["class", "property", "type", "primary", "indexed"]))
        case "/facets.csv":
            return HTTPResponse(
                try data.facets(request, isTable: true), list: "values", ["value", "literal", "count"])
        case "/commits.csv", "/changes.csv":
            let names = ["number", "commit", "time", "process", "program", "label", "all", "count"]
            return HTTPResponse(try commits(request), list: "commits", names)
        case "/commit.csv":
            let names = ["class", "key", "primary", "change", "properties"]
            return HTTPResponse(try commit(request), list: "changes", names)
        case "/file.csv": return HTTPResponse(try data.fileFigures(), list: "parts", ["name", "size"])
        default: throw HTTPRefusal(404, "there is no such address")
        }
    }

    private func commits(_ request: HTTPRequest) throws -> JSONText {
        try feed.commits(from: try number(request, "from"))
    }

    private func commit(_ request: HTTPRequest) throws -> JSONText {
        try feed.commit(try number(request, "number"))
    }

    private func sendTable(
        _ request: HTTPRequest, _ data: StudioData, on connection: HTTPConnection, _ patience: UInt64
    ) throws -> HTTPResponse? {
        let isCSV = request.path != "/rows.ndjson"
        let type = isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson"
        if request.method == "HEAD" { return HTTPResponse(200, type, "") }
        let stream = HTTPStream(connection, type: type, until: Progress.now + Double(patience) / 1000)
        try stream.send { receive in
            let isCut = { (rest: String) in stream.headers = [("Link", "<\(rest)>; rel=\"next\"")] }
            try data.table(request, isCSV ? .STRATA_TEXT_CSV : .STRATA_TEXT_LINES, isCut: isCut, into: receive)
        }
        return nil
    }
}

extension HTTPResponse {
    init(_ json: JSONText) { self.init(200, "application/json", "\(json)\n") }
    init(_ csv: CSVText) { self.init(200, "text/csv; charset=utf-8", "\(csv)") }
    init(_ json: JSONText, list name: String, _ names: [String]) {
        self.init(CSVText(json.list(named: name) ?? [], names))
    }
}
