// SPDX-License-Identifier: MIT

import Dispatch
import GRDB
import Workload

/// Counts values that an observation delivers.
final class Deliveries: @unchecked Sendable {
    private let delivered = DispatchSemaphore(value: 0)
    private(set) var records = 0

    func deliver(_ count: Int) {
        records = count
        delivered.signal()
    }

    func wait() { delivered.wait() }
}

extension GRDBPeer {
    /// Delivers all records that are found, at first and after each change; which of them changed it does not tell.
    func observeScores() -> Deliveries {
        let deliveries = Deliveries(), queue = DispatchQueue(label: "observer")
        observation = ValueObservation
            .tracking { try PersonRecord.filter(Column("score") > BENCH_SCORE).fetchAll($0) }
            .start(in: pool, scheduling: .async(onQueue: queue)) { error in
                fatalError("\(error)")
            } onChange: { records in
                deliveries.deliver(records.count)
            }
        deliveries.wait()
        return deliveries
    }

    func observeChanges(_ count: UInt64) throws -> Double {
        var told = 0
        for j in 0..<count {
            let id = bench_person_id(bench_choose_hit(n, j))
            try pool.write { try $0.statement(.updateCreated).execute(arguments: [Int64(j), id]) }
            deliveries?.wait()
            told += 1
        }
        return Double(told)
    }
}
