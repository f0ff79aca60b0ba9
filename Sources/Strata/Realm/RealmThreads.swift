// SPDX-License-Identifier: MIT
// RealmThreads.swift -- threads that have a realm each and run jobs with it.

import Foundation

/// Threads that are started when jobs wait, up to a number, and end when nothing was to do for a while. Each opens the
/// realm for itself and holds no old version of the file while it is idle.
final class RealmThreads<Job: Sendable>: @unchecked Sendable {
    /// What a thread does with its realm and jobs. It may take the jobs that come meanwhile.
    typealias Body = @Sendable (Result<Realm, any Error>, [Job], RealmThreads<Job>) -> Void

    /// How often an idle thread looks for commits of others, in seconds.
    private static var tick: Double { 0.05 }
    /// After how many ticks an idle thread ends.
    private static var patience: Int { 100 }

    private let name: String
    private let configuration: Realm.Configuration
    private let limit: Int
    /// How many jobs a thread takes at a time.
    private let share: Int
    private let body: Body
    private let condition = NSCondition()
    // Guarded by `condition`.
    private var jobs: [Job] = []
    private var count = 0
    private var idle = 0

    init(
        _ name: String, _ configuration: Realm.Configuration, limit: Int, share: Int,
        _ body: @escaping Body
    ) {
        (self.name, self.configuration, self.limit, self.share) = (name, configuration, limit, share)
        self.body = body
    }

    func run(_ job: Job) {
        condition.withLock {
            jobs.append(job)
            if idle > 0 { return condition.signal() }
            if count == limit { return }
            count += 1
            let thread = Thread { [self] in loop() }
            thread.name = name
            thread.start()
        }
    }

    /// The jobs that came since, for a thread that takes all of them.
    func more() -> [Job] {
        condition.withLock {
            defer { jobs = [] }
            return jobs
        }
    }

    private func loop() {
        let realm = Result { try Realm(configuration: configuration) }
        while let jobs = next(realm) {
            _ = try? realm.get().refresh()
            body(realm, jobs, self)
        }
    }

    /// The jobs that a thread does next; nil to end.
    private func next(_ realm: Result<Realm, any Error>) -> [Job]? {
        let realm = try? realm.get()
        for _ in 0..<Self.patience {
            let taken: [Job] = condition.withLock {
                if jobs.isEmpty {
                    idle += 1
                    _ = condition.wait(until: Date(timeIntervalSinceNow: Self.tick))
                    idle -= 1
                }
                defer { jobs.removeFirst(min(share, jobs.count)) }
                return Array(jobs.prefix(share))
            }
            if !taken.isEmpty { return taken }
            realm?.refresh()
            if realm == nil { break }  // the next one tries to open it again
        }
        return condition.withLock {
            if !jobs.isEmpty {
                defer { jobs.removeFirst(min(share, jobs.count)) }
                return Array(jobs.prefix(share))
            }
            count -= 1
            return nil
        }
    }
}
