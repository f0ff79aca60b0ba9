// SPDX-License-Identifier: MIT
// Sample.swift -- notes and requests, the same for every notebook.

import NoteService

enum Sample {
    static let authors = 1000

    /// Notes of `authors` authors. Each text has twelve words of a language of 500, and one that ten notes have.
    static func notes(_ count: Int) -> [Note] {
        (1...count).map { id in
            var seed = UInt64(id)
            let words = (0..<12).map { _ in word(&seed) }.joined(separator: " ")
            let text = "\(words) \(topic(id, of: count))"
            return Note(id: id, author: author(id), text: text, written: 1_800_000_000 + id)
        }
    }

    static func author(_ number: Int) -> String { "author-\(number % authors)" }

    /// The word that ten of `count` notes have.
    static func topic(_ number: Int, of count: Int) -> String { "topic-\(number % max(1, count / 10) + 1_000_000)" }

    private static func word(_ seed: inout UInt64) -> String {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let number = Int(seed >> 33) % 500
        let (first, second) = (["ka", "lo", "mi", "ne", "su"], ["ran", "del", "tis", "vom", "pek"])
        return first[number % 5] + second[number / 5 % 5] + String(number, radix: 36)
    }
}
