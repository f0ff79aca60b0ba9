// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Visit: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var country: String
    @Persisted var day: Int
    @Persisted(indexed: true) var score: Int
    @Persisted var rating: Double?
    @Persisted var guide: Guide?

    override class func compoundIndexes() -> [[String]] { [["country", "day"]] }
}

class Guide: Object {
    @Persisted var name: String

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

private let visitTypes: [ObjectBase.Type] = [Visit.self, Guide.self]

private func withVisits(_ count: Int = 1000, _ body: (Realm, Results<Visit>) throws -> Void) throws {
    try withRealm(visitTypes) { realm in
        try realm.write {
            for id in 0..<count {
                realm.create(
                    Visit.self,
                    value: [
                        "id": id, "country": ["DE", "PL", "DK", "SE"][id % 4], "day": id / 4, "score": id * 7 % count,
                        "rating": id % 10 == 0 ? NSNull() : Double(id % 10) as Any,
                    ] as [String: Any])
            }
        }
        try body(realm, realm.objects(Visit.self))
    }
}

/// What a query looks at.
@Suite struct PlanTests {
    @Test func `an index is used, and explain tells`() throws {
        try withVisits { _, visits in
            let plan = visits.where { $0.score == 42 }.explain()
            #expect(plan.usesIndex && plan.rowsReturned == 1 && plan.rowsVisited <= 1, "\(plan)")
            let scan = visits.where { $0.rating > 3 }.explain()
            #expect(!scan.usesIndex && scan.rowsVisited == 1000 && scan.rowsReturned == 600, "\(scan)")
            let range = visits.where { $0.score.contains(10...19) && $0.rating > 0 }.explain()
            #expect(range.usesIndex && range.rowsVisited <= 10, "\(range)")
            #expect(visits.where { $0.id == 7 }.explain().rowsVisited <= 1)
        }
    }

    /// Whoever counts few objects reads them next, and then they are known. What is known takes no steps.
    @Test func `results of at most 1000 objects are counted by finding them, others without`() throws {
        try withVisits(2000) { realm, visits in
            let order = visits.sorted(by: \.rating, ascending: false)
            for most in [1, 999, 1000] {
                let few = order.limit(most)
                #expect(few.count == most)
                let found = try realm.read(steps: 10) { (few.count, few[most - 1].id, few.first?.id) }
                #expect(found.0 == most && found.1 == few[most - 1].id && found.2 == few[0].id)
            }
            let many = order.limit(1001)
            #expect(many.count == 1001)
            #expect(throws: (any Error).self) { try realm.read(steps: 10) { many.count } }
            #expect(throws: (any Error).self) { try realm.read(steps: 10) { many[1000].id } }
        }
    }

    @Test func `a compound index answers equality, then a range and the order`() throws {
        try withVisits { _, visits in
            let some = visits.where { $0.country == "DK" && $0.day >= 200 && $0.day < 210 }
            let plan = some.explain()
            #expect(plan.rowsReturned == 10 && plan.rowsVisited <= 10 && plan.usesIndex, "\(plan)")
            let first = visits.where { $0.country == "SE" }.sorted(by: \.day, ascending: false).limit(3)
            #expect(first.map(\.day) == [249, 248, 247])
            let ordered = first.explain()
            #expect(ordered.rowsVisited <= 3, "\(ordered)")
        }
    }

    @Test func `an early stop for first, and for a limit`() throws {
        try withVisits { _, visits in
            #expect(visits.where { $0.rating > 3 }.limit(2).explain().rowsVisited < 500)  // one block of rows
            #expect(visits.sorted(by: \.score).limit(2).explain().rowsVisited <= 2)
        }
    }

    @Test func `a compound index of a property that there is not is refused`() {
        class Wrong: Object {
            @Persisted var name: String
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
            override class func compoundIndexes() -> [[String]] { [["name", "nmae"]] }
        }
        let error = #expect(throws: Realm.Error.self) { try withRealm([Wrong.self]) { _ in } }
        let message = "Wrong.compoundIndexes() names \"nmae\", which is no persisted property of Wrong; name one of"
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
}

@Suite struct PageTests {
    private func all(_ results: Results<Visit>, _ size: Int) throws -> [Int] {
        var page = try results.page(size: size), ids = page.map(\.id)
        while let next = page.next, ids.count <= results.count {
            page = try results.page(size: size, after: next)
            ids += page.map(\.id)
        }
        return ids
    }

    @Test func `pages are all of the result, in its order`() throws {
        try withVisits(100) { realm, visits in
            try realm.write {
                for (id, visit) in visits.enumerated() where id % 3 > 0 { visit.guide = Guide("g\(id % 5)") }
            }
            let orders: [Results<Visit>] = [
                visits, visits.sorted(by: \.score), visits.sorted(by: \.country, ascending: false),
                visits.sorted(by: \.rating),
                visits.sorted(by: [SortDescriptor(keyPath: "rating", ascending: false), "country"]),
                visits.where { $0.day > 5 }.sorted(by: \.day), visits.sorted(by: \.guide?.name),
                visits.sorted(by: \.guide?.name, ascending: false),
            ]
            for (index, results) in orders.enumerated() {
                for size in [1, 7, 100, 1000] {
                    #expect(try all(results, size) == results.map(\.id), "order \(index), pages of \(size)")
                }
            }
        }
    }

    @Test func `a page visits what it returns`() throws {
        try withVisits { _, visits in
            let results = visits.sorted(by: \.score)
            let middle = try #require(try results.page(size: 500).next)
            let page = try results.page(size: 10, after: middle)
            #expect(page.map(\.score) == Array(500..<510))
            #expect(page.explanation.rowsVisited <= 11 && page.explanation.usesIndex, "\(page.explanation)")
        }
    }

    @Test func `a token is stored, and goes on behind an object that is gone`() throws {
        let temporary = try TemporaryRealm(visitTypes)
        let stored: Data
        do {
            let realm = try temporary.open()
            try realm.write { for id in 0..<10 { realm.create(Visit.self, value: ["id": id, "score": 100 - id]) } }
            let page = try realm.objects(Visit.self).sorted(by: \.score).page(size: 3)
            #expect(page.map(\.id) == [9, 8, 7] && page.elements.count == 3)
            stored = try JSONEncoder().encode(try #require(page.next))
            try realm.write {
                realm.delete(page[2])
                realm.create(Visit.self, value: ["id": 20, "score": 0])
            }
        }
        let token = try JSONDecoder().decode(PageToken.self, from: stored)
        let realm = try temporary.open()
        let visits = realm.objects(Visit.self).sorted(by: \.score)
        let page = try visits.page(size: 5, after: token)
        #expect(page.map(\.id) == [6, 5, 4, 3, 2])
        let last = try visits.page(size: 5, after: page.next)
        #expect(last.map(\.id) == [1, 0] && last.next == nil)
    }

    @Test func `what has no pages traps`() async {
        let distinct = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withVisits(4) { _, visits in _ = try visits.distinct(by: ["country"]).page(size: 1) }
        }
        expect(distinct, says: "a collection, distinct and limit have no pages")
    }

    @Test func `a token of another order or class, or a damaged one, throws`() throws {
        try withVisits(4) { realm, visits in
            let token = try #require(try visits.page(size: 1).next)
            let invalid = Realm.Error(.invalidInput, "")
            #expect(throws: invalid) { try visits.sorted(by: \.score).page(size: 1, after: token) }
            #expect(throws: invalid) { try realm.objects(Guide.self).page(size: 1, after: token) }
            let sorted = visits.sorted(by: \.score)
            let next = try #require(try sorted.page(size: 1).next)
            let text = String(decoding: try JSONEncoder().encode(next), as: UTF8.self)
            #expect(text.contains("\"int\""))
            let forged = text.replacingOccurrences(of: "\"int\"", with: "\"bool\"")
                .replacingOccurrences(of: "\"_0\":0", with: "\"_0\":true")
            if let other = try? JSONDecoder().decode(PageToken.self, from: Data(forged.utf8)), forged != text {
                #expect(throws: invalid) { try sorted.page(size: 1, after: other) }
            }
            #expect(try sorted.page(size: .max).count == 4)
        }
    }
}
