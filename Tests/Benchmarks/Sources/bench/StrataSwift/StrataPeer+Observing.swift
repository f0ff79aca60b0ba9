// SPDX-License-Identifier: MIT

import RealmSwift
import Workload

extension StrataPeer {
    /// The closure is called by `refresh()`, as it would be by a job of the main actor.
    func observeScores(_ body: @escaping (RealmCollectionChange<Results<Person>>) -> Void) {
        token = all.where { $0.score > BENCH_SCORE }.observe { body($0) }
        realm.refresh()
    }

    func observeFirst() -> Double {
        var count = 0
        observeScores { if case .initial(let persons) = $0 { count = persons.count } }
        return Double(count)
    }

    /// Begins before the clock does.
    func countModifications() {
        modifications = 0
        observeScores { [unowned self] in
            if case .update(_, _, _, let modified) = $0 { modifications += modified.count }
        }
    }

    func observeChanges() throws -> Double {
        for (j, person) in persons.enumerated() {
            try realm.write { person.created = j }
            realm.refresh()
        }
        return Double(modifications)
    }
}
