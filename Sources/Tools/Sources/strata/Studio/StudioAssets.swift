// SPDX-License-Identifier: MIT
// StudioAssets.swift -- the page, its style and its script, which are inside of the program.

import CAssets
import Glibc

struct StudioAssets: Sendable {
    struct Asset {
        let name: String
        let type: String
        let bytes: [UInt8]
    }

    /// A folder in which files are looked for first.
    let folder: String?

    /// Every view has an address of its own, all of which are the same page.
    private static let pages: Set<String> = ["/", "/rows", "/object", "/file", "/schema", "/changes"]

    func asset(_ path: String) -> Asset? {
        if Self.pages.contains(path) { return load("studio.html", "text/html; charset=utf-8") }
        switch path {
        case "/studio.css": return load("studio.css", "text/css; charset=utf-8")
        case "/studio.js", "/page.js", "/fields.js", "/changes.js":
            return load(String(path.dropFirst()), "text/javascript; charset=utf-8")
        case "/icon.svg": return load("icon.svg", "image/svg+xml")
        default: return nil
        }
    }

    private func load(_ name: String, _ type: String) -> Asset? {
        if let folder, let bytes = Self.read("\(folder)/\(name)") { return Asset(name: name, type: type, bytes: bytes) }
        var size = 0
        guard let start = strata_asset(name, &size) else { return nil }
        return Asset(name: name, type: type, bytes: Array(UnsafeBufferPointer(start: start, count: size)))
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    func answer(_ asset: Asset, _ request: HTTPRequest) -> HTTPResponse {
        // FNV-1a: a browser asks with it whether what it has is still the same.
        let hash = asset.bytes.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let tag = "\"\(String(hash, radix: 16))\""
        var response = HTTPResponse(type: asset.type, bytes: asset.bytes)
        response.headers = [("ETag", tag), ("Cache-Control", "no-cache")]
        if request.headers["if-none-match"] == tag {
            response.status = 304
            response.body = []
        }
        return response
    }
}
