// SPDX-License-Identifier: MIT
// PlainWorld.swift -- objects as plain values.

import Foundation
import Strata

/// What an object should hold. Inverse links are kept beside the links that they belong to.
final class PlainRow {
    let kind: PlainClass, id: Int
    var one: [String: PlainValue] = [:]
    var many: [String: [PlainValue]] = [:]  // of a map: the values in the order of the keys
    var keys: [String: [String]] = [:]

    init(_ kind: PlainClass, _ id: Int) { (self.kind, self.id) = (kind, id) }
}

struct PlainWorld {
    var samples: [PlainRow] = []
    var parts: [PlainRow] = []

    func rows(_ kind: PlainClass) -> [PlainRow] { kind == .sample ? samples : parts }

    /// Finds all inverse links again.
    func linkBack() {
        for sample in samples { sample.many["children"] = [] }
        for part in parts { (part.many["owners"], part.many["users"]) = ([], []) }
        for sample in samples {
            sample.one["parent"]?.row?.many["children"]?.append(.link(sample))
            sample.one["part"]?.row?.many["owners"]?.append(.link(sample))
            for part in sample.many["parts"] ?? [] { part.row?.many["users"]?.append(.link(sample)) }
        }
    }

    /// Takes an object out, and every link to it.
    mutating func remove(_ row: PlainRow) {
        samples.removeAll { $0 === row }
        parts.removeAll { $0 === row }
        for sample in samples {
            for (name, value) in sample.one where value.row === row { sample.one[name] = .null }
            sample.many["parts"]?.removeAll { $0.row === row }
            sample.many["partSet"]?.removeAll { $0.row === row }
            sample.many["partMap"] = sample.many["partMap"]?.map { $0.row === row ? .null : $0 }
        }
        linkBack()
    }
}
