// SPDX-License-Identifier: MIT
// Command.swift -- a shopping list on a terminal: `shopping FILE`.
//
// Start it twice on one file: each copy shows at once what is typed into the other.

import Foundation

@main struct Command {
    @MainActor static func main() async {
        guard CommandLine.arguments.count == 2 else { fail("usage: shopping FILE", 2) }
        do {
            let list = try await ShoppingList(CommandLine.arguments[1])
            let shows = Task { await list.show() }
            for await line in inputLines() {
                if try !list.edit(line) { break }
            }
            shows.cancel()
            await shows.value
        } catch {
            fail("shopping: \(error.localizedDescription)", 1)
        }
    }

    private static func fail(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}
