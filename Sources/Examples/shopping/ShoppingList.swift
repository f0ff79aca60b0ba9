// SPDX-License-Identifier: MIT
// ShoppingList.swift -- the list, its edits, and how it is shown.

import Foundation
import RealmSwift

/// What is to be bought. Everything in here runs on the main actor, and so does the realm.
@MainActor final class ShoppingList {
    private let realm: Realm
    /// Live: it shows what the file holds, whoever writes to it.
    private let items: Results<Item>
    private let draws = isatty(STDOUT_FILENO) != 0

    init(_ path: String) async throws {
        let configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self])
        let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
        self.realm = realm
        items = realm.objects(Item.self).sorted(by: [
            SortDescriptor(keyPath: \Item.isBought), SortDescriptor(keyPath: \Item.added),
        ])
    }

    // MARK: Showing

    /// Shows each change, until the task is cancelled.
    func show() async {
        for await change in items.changes(keyPaths: [\.name, \.amount, \.isBought]) {
            switch change {
            case .initial: draws ? draw(new: []) : printAll()
            case .update(_, let deletions, let insertions, let modifications):
                draws ? draw(new: insertions) : print(deletions, insertions, modifications)
            case .error: break
            }
        }
    }

    private func draw(new: [Int]) {
        var text = "\u{1b}[H\u{1b}[J\(realm.configuration.fileURL?.lastPathComponent ?? ""): \(items.count) items\n\n"
        for (position, item) in items.enumerated() {
            text += "\(new.contains(position) ? "+" : " ")\(position + 1). \(item.line)\n"
        }
        say(text + "\nadd NAME [AMOUNT] | buy NUMBER | remove NUMBER | quit\n> ")
    }

    private func printAll() {
        say(items.enumerated().map { "\($0 + 1). \($1.line)\n" }.joined() + "\(items.count) items\n")
    }

    private func print(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) {
        let gone = deletions.map { "- \($0 + 1)\n" }.joined()
        let come = insertions.map { "+ \($0 + 1). \(items[$0].line)\n" }.joined()
        let changed = modifications.map { "~ \($0 + 1)\n" }.joined()
        say("\(gone)\(come)\(changed)\(items.count) items\n")
    }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    // MARK: Edits

    /// Does what a line says. What it changes is shown when it is committed, here as in every other program.
    ///
    /// - Returns: false for the last line.
    func edit(_ line: String) throws -> Bool {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.dropFirst()) {
        case (nil, _): break
        case ("quit", []): return false
        case ("add", let rest) where !rest.isEmpty: try add(rest)
        case ("buy", let rest) where rest.count == 1: try change(rest.first!) { $0.isBought.toggle() }
        case ("remove", let rest) where rest.count == 1: try change(rest.first!) { self.realm.delete($0) }
        default: say("add NAME [AMOUNT], buy NUMBER, remove NUMBER or quit\n")
        }
        return true
    }

    private func add(_ words: ArraySlice<String>) throws {
        let amount = words.count > 1 ? words.last.flatMap { Int($0) } : nil
        let name = (amount == nil ? words : words.dropLast()).joined(separator: " ")
        try realm.write { realm.add(Item(name, amount: amount ?? 1)) }
    }

    private func change(_ number: String, _ body: (Item) -> Void) throws {
        guard let position = Int(number), items.indices.contains(position - 1) else {
            return say("there is no item \(number)\n")
        }
        let item = items[position - 1]
        try realm.write {
            // The write shows the newest version: somebody else may have removed the item meanwhile.
            if !item.isInvalidated { body(item) }
        }
    }
}
