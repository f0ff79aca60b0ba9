// SPDX-License-Identifier: MIT
// StudioEvents.swift -- tells a page of new commits, as server-sent events.

import CStrata
import Glibc

/// A stream of events, each with the token of the newest commit as its id: a page that comes back with the id of the
/// last event that it got is told at once if there is a newer commit.
struct StudioEvents {
    let file: StoreFile
    let feed: StudioFeed

    /// Microseconds between two events at least: a page cannot draw faster.
    private static let pause: UInt32 = 50_000

    func run(_ request: HTTPRequest, on connection: HTTPConnection) {
        let head = HTTPResponse(200, "text/event-stream", "").head(closing: true, length: nil)
        guard connection.send(head), connection.send("retry: 1000\n\n") else { return }
        var told = request.headers["last-event-id"] ?? ""
        while true {
            do {
                try file.refresh()
                var token = strata_token()
                try call { strata_view_token(file.view, &token, $0) }
                let now = text(of: &token)
                if now != told {
                    let data = JSONText.object(["commit": .uint(strata_view_version(file.view))])
                    guard connection.send("id: \(now)\ndata: \(data)\n\n") else { return }
                    told = now
                    usleep(Self.pause)
                    continue
                }
                // The stream holds no snapshot while it waits, so that it keeps no space from being used again.
                strata_view_rest(file.view)
                let hasCommit = try isAnswered { strata_store_wait(file.store, &token, 5000, nil, $0) }
                try call { strata_view_adopt(file.view, $0) }
                feed.rest()
                if !hasCommit, !connection.send(":\n\n") { return }
            } catch {
                _ = connection.send("event: failure\ndata: \(JSONText.object(["error": .string("\(error)")]))\n\n")
                return
            }
        }
    }
}
