// SPDX-License-Identifier: MIT
// StudioFeed.swift -- the last commits of all programs, for the time line of the page.

import CStrata
import Glibc

/// Commits as far as the file tells of them, the last thousand.
///
/// As long as there is a feed, other programs leave a record of each commit in the file. So it is opened when a page
/// first asks for commits, and closed when none has asked for a minute, or the last page has gone.
final class StudioFeed: @unchecked Sendable {
    private static let mostCommits = 1000, mostChanges = 500, mostPages = 32, patience = 60.0
    /// How many records, and for how many seconds, are read for one answer: the next one goes on.
    private static let mostRead = 2000, longest = 1.0
    /// How often a feed is opened for one answer.
    private static let mostBeginnings = 3
    private let path: String
    private let access: StoreFile.Access
    private var mutex = pthread_mutex_t()
    // All of these are protected by the mutex.
    private var file: StoreFile?
    private var feed: OpaquePointer?
    private var token: strata_token?
    private var commits: [(record: CommitRecord, program: String)] = []
    /// The number of the first of them; numbers go on for ever.
    private var first = 0
    private var asked = 0.0
    private var pages = 0
    /// There were more records than were read last.
    private var hasMore = false

    init(path: String, access: StoreFile.Access) {
        self.path = path
        self.access = access
        pthread_mutex_init(&mutex, nil)
    }

    private func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        return try body()
    }

    // MARK: Answers

    /// The commits from a number on, each with how much it changed.
    func commits(from number: UInt64) throws -> JSONText {
        try locked {
            try read()
            let start = max(first, Int(clamping: number))
            let found = commits.dropFirst(start - first).enumerated().map { offset, commit in
                JSONText.object([
                    "number": .uint(UInt64(start + offset)), "commit": .uint(commit.record.version),
                    "time": .string(commit.record.time), "process": .int(commit.record.process),
                    "program": .string(commit.program), "label": .string(commit.record.label),
                    "all": .bool(commit.record.isWhole),
                    "count": .uint(UInt64(commit.record.count)),
                ])
            }
            return .object([
                "first": .uint(UInt64(first)), "next": .uint(UInt64(first + commits.count)),
                "commits": .list(Array(found)), "more": .bool(hasMore),
            ])
        }
    }

    /// What one commit changed, object by object.
    func commit(_ number: UInt64) throws -> JSONText {
        try locked {
            guard let place = Int(exactly: number).map({ $0 - first }), commits.indices.contains(place) else {
                throw HTTPRefusal(404, "that commit is not among the last \(Self.mostCommits) any more")
            }
            let (record, program) = commits[place]
            return .object([
                "number": .uint(number), "program": .string(program), "label": .string(record.label),
                "count": .uint(UInt64(record.count)), "record": record.json,
            ])
        }
    }

    // MARK: Reading

    /// Goes on reading. Where the record of the next commit is gone, as after more commits of this very process than
    /// are remembered, it begins anew.
    private func read() throws {
        asked = Progress.now
        hasMore = true
        for _ in 0..<Self.mostBeginnings {
            do {
                return try readOn()
            } catch {
                close()
                token = nil
                guard (error as? Failure)?.status == .STRATA_EXPIRED else { throw error }
            }
        }
    }

    private func readOn() throws {
        if feed == nil { try open() }
        try call { strata_view_adopt(file!.view, $0) }  // requests come on threads of their own
        var commit: OpaquePointer?
        var count = 0
        while count < Self.mostRead, Progress.now - asked < Self.longest {
            guard try isAnswered({ strata_feed_next(feed, &commit, $0) }) else {
                hasMore = false
                break
            }
            count += 1
            defer { strata_commit_free(commit) }
            try file!.refresh()
            try add(commit!)
        }
        var now = strata_token()
        try call { strata_feed_token(feed, &now, $0) }
        token = now
        strata_view_rest(file!.view)
    }

    private func add(_ commit: OpaquePointer) throws {
        let record = try CommitRecord(commit, file!, limit: Self.mostChanges)
        commits.append((record, Readers.program(record.process)))
        if commits.count <= Self.mostCommits { return }
        commits.removeFirst()
        first += 1
    }

    /// Goes on behind what was told, or, if there are no records of that any more, begins anew.
    private func open() throws {
        file = try StoreFile(path, for: access, resident: StoreFile.residentOfServer)
        if var token, (try? call({ strata_feed_open_after(file!.store, &token, &feed, $0) })) != nil { return }
        first += commits.count
        commits = []
        try call { strata_feed_open_oldest(file!.store, &feed, $0) }
    }

    private func close() {
        strata_feed_close(feed)
        feed = nil
        file = nil
    }

    // MARK: Pages

    /// False if too many pages are there.
    func pageCame() -> Bool {
        locked {
            if pages == Self.mostPages { return false }
            pages += 1
            return true
        }
    }

    func pageWent() {
        locked {
            pages -= 1
            if pages == 0 { close() }
        }
    }

    /// Closes the feed if no page asks for commits.
    func rest() { locked { if feed != nil && Progress.now - asked > Self.patience { close() } } }
}
