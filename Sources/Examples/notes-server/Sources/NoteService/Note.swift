// SPDX-License-Identifier: MIT
// Note.swift -- what clients send and get.

import Foundation
import Hummingbird

/// A note as a client sends it.
public struct Draft: Codable, Sendable {
    public let author: String
    public let text: String

    public init(author: String, text: String) {
        (self.author, self.text) = (author, text)
    }
}

/// A note as a client gets it.
public struct Note: ResponseCodable, Sendable, Equatable {
    /// Notes are counted from 1.
    public let id: Int
    public let author: String
    public let text: String
    /// Seconds since 1970.
    public let written: Int

    public init(id: Int, author: String, text: String, written: Int) {
        (self.id, self.author, self.text, self.written) = (id, author, text, written)
    }

    /// A draft that is written down at this moment.
    public init(_ id: Int, _ draft: Draft) {
        self.init(
            id: id, author: draft.author, text: draft.text, written: Int(Date().timeIntervalSince1970))
    }
}

/// An answer in JSON: one note, or an array of notes.
public struct JSON: ResponseGenerator, Sendable {
    private let text: Data

    /// Text that is written already, as by a database.
    public init(_ text: Data) { self.text = text }

    public init(encoding value: some Encodable) throws { text = try JSONEncoder().encode(value) }

    public func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }
}
