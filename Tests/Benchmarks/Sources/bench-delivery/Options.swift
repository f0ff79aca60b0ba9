// SPDX-License-Identifier: MIT
// Options.swift -- what is measured, and how often.

import Foundation

struct Options: Sendable {
    let folder: URL
    /// Numbers of persons, the smallest first.
    var sizes = [10_000, 1_000_000]
    var rounds = 8
    var seed = UInt64.random(in: 0..<1_000_000)
    var ways = Way.allCases
    var kinds = Kind.allCases

    /// Reads the folder and what follows it.
    init(_ arguments: ArraySlice<String>) throws {
        guard let folder = arguments.first else { throw Failure("in which folder?") }
        self.folder = URL(fileURLWithPath: folder)
        for argument in arguments.dropFirst() {
            let text = argument.drop { $0 != "=" }.dropFirst()
            switch argument.prefix(while: { $0 != "=" }) {
            case "N": sizes = Set([10_000, try number(text, from: 100)]).sorted()
            case "ROUNDS": rounds = try number(text, from: 1)
            case "SEED": seed = UInt64(try number(text, from: 0))
            case "WAYS": ways = try choices(text)
            case "KINDS": kinds = try choices(text)
            default: throw Failure("no such option: \(argument)")
            }
        }
    }
}

private func number(_ text: Substring, from least: Int) throws -> Int {
    guard let number = Int(text), number >= least else { throw Failure("\(text) is no number from \(least) on") }
    return number
}

private func choices<Choice: RawRepresentable<String>>(_ text: Substring) throws -> [Choice] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
        guard let choice = Choice(rawValue: String(name)) else { throw Failure("no such choice: \"\(name)\"") }
        return choice
    }
}
