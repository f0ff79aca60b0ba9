// SPDX-License-Identifier: MIT
// Conversion.swift -- models of the older style, `@objc dynamic var`, become models of `@Persisted`.

import SwiftParser
import SwiftSyntax

/// A file before and after.
public struct ConvertedFile {
    public let path: String
    public let before: String
    public let after: String
    /// How many properties were written anew.
    public let properties: Int
    /// What the conversion could not decide: lines of the new text, and what stands there.
    public let questions: [(line: Int, text: String)]
    /// Why the file was left as it is, if it has mistakes in its grammar.
    public let problem: String?

    public var isChanged: Bool { before != after }
}

/// What stands before each question in the text.
public let questionMark = "// FIXME: Strata: "

/// Converts files that belong together.
///
/// Classes that descend from `Object` or `EmbeddedObject`, in whichever of the files, are written with `@Persisted`.
/// What else uses them follows where it can be decided: `.value` of `RealmOptional` and `RealmProperty`, `#keyPath`,
/// `RealmEnum`. All else stays byte by byte. What cannot be decided gets a comment that begins with ``questionMark``.
///
/// - Parameter files: paths, which are only told, and texts.
/// - Returns: one for each file, in order.
public func convert(_ files: [(path: String, text: String)]) -> [ConvertedFile] {
    let trees = files.map { Parser.parse(source: $0.text) }
    var facts = ModelFacts()
    for (number, tree) in trees.enumerated() {
        let collector = FactCollector(facts, file: number)
        collector.walk(tree)
        facts = collector.facts
    }
    facts.sortBoxes()
    return files.indices.map { number in
        let (file, tree) = (files[number], trees[number])
        return convert(file.path, file.text, tree, FileConversion(file.text, facts, tree, file: number))
    }
}

private func convert(
    _ path: String, _ text: String, _ tree: SourceFileSyntax, _ conversion: FileConversion
) -> ConvertedFile {
    func left(_ problem: String?) -> ConvertedFile {
        ConvertedFile(
            path: path, before: text, after: text, properties: 0, questions: problem == nil ? questions(in: text) : [],
            problem: problem)
    }
    if tree.hasError { return left("it does not parse as Swift; compile it first") }
    conversion.walk(tree)
    if conversion.edits.isEmpty { return left(nil) }
    let after = conversion.edits.applied()
    let made = Parser.parse(source: after)
    if made.hasError { return left("what was made of it would not parse as Swift; please report this, with the file") }
    let expected = DeclarationCounter.count(tree) - conversion.removed + conversion.added
    if DeclarationCounter.count(made) != expected {
        return left("what was made of it would lack a declaration; please report this, with the file")
    }
    return ConvertedFile(
        path: path, before: text, after: after, properties: conversion.properties, questions: questions(in: after),
        problem: nil)
}

private func questions(in text: String) -> [(line: Int, text: String)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
        guard let mark = line.range(of: questionMark) else { return nil }
        return (number + 1, String(line[mark.upperBound...]))
    }
}

extension Substring {
    /// Where a text stands in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
