// SPDX-License-Identifier: MIT
// ShownPersons.swift -- the ids of persons in their order, as one who observes them is told.

import Strata
import Testing

extension [Int]? {
    /// Does to the ids what a change says; they are nil until the first one.
    mutating func follow(_ change: RealmCollectionChange<Results<Person>>) {
        switch change {
        case .initial(let all): self = all.map(\.id)
        case .update(let all, let deletions, let insertions, _):
            for place in deletions.reversed() { self?.remove(at: place) }
            for place in insertions { self?.insert(all[place].id, at: place) }
        case .error(let error): Issue.record(error)
        }
    }
}
