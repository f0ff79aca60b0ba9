// SPDX-License-Identifier: MIT
// QuietWritesTests.swift -- what observers are told after writes of which they were told nothing.

import Foundation
import Strata
import Testing

private final class QuietBox: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind: Int
    @Persisted var numbers: List<Int>
    @Persisted var marks: MutableSet<Int>
    @Persisted var named: Map<String, Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class QuietView: Projection<QuietBox> {
    @Projected(\QuietBox.kind) var shown
}

/// One who observes. Its program shows what it is told of, and what it did itself in a quiet write.
private final class QuietWatcher {
    var token: NotificationToken?
    /// Rows in sections; a collection is one section.
    var shown: [[Int]]?
    private let there: () -> [[Int]]

    init(_ there: @escaping () -> [[Int]]) { self.there = there }

    /// The program has written quietly.
    func didWrite() { if shown != nil { shown = there() } }

    func follow<C: RealmCollection>(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial: shown = there()
        case .update(_, let deletions, let insertions, _):
            apply(deletions.map { [0, $0] }, insertions.map { [0, $0] }, come: [], gone: [])
        case .error(let error): Issue.record(error)
        }
    }

    func follow<C>(_ change: SectionedResultsChange<C>) {
        switch change {
        case .initial: shown = there()
        case .update(_, let deletions, let insertions, _, let come, let gone):
            apply(deletions, insertions, come: come, gone: gone)
        }
    }

    func follow(_ property: PropertyChange) {
        if let old = property.oldValue as? Int { #expect(shown == [[old]]) }
        #expect(property.newValue as? Int == there()[0][0])
        shown = there()
    }

    private func apply(_ deletions: [IndexPath], _ insertions: [IndexPath], come: IndexSet, gone: IndexSet) {
        guard var rows = shown else {
            Issue.record("told of an update before what there is")
            return
        }
        let there = there()
        for path in deletions.reversed() {
            guard rows.indices.contains(path[0]), rows[path[0]].indices.contains(path[1]) else {
                Issue.record("a deletion at \(path) of \(rows)")
                return
            }
            rows[path[0]].remove(at: path[1])
        }
        for section in gone.reversed() { rows.remove(at: section) }
        for section in come { rows.insert([], at: section) }
        for path in insertions {
            guard rows.indices.contains(path[0]), path[1] <= rows[path[0]].count else {
                Issue.record("an insertion at \(path) into \(rows)")
                return
            }
            rows[path[0]].insert(there[path[0]][path[1]], at: path[1])
        }
        #expect(rows == there)
        shown = rows
    }

    func check() { #expect(shown == there()) }
}

@Suite(.timeLimit(.minutes(20))) struct QuietWritesTests {
    private static let types: [ObjectBase.Type] = [QuietBox.self]

    private static func watch<C: RealmCollection>(_ all: C, _ row: @escaping (C.Element) -> Int) -> QuietWatcher {
        let watcher = QuietWatcher { [all.map(row)] }
        watcher.token = all.observe { [unowned watcher] in watcher.follow($0) }
        return watcher
    }

    private static func watchers(_ realm: Realm) -> [QuietWatcher] {
        let boxes = realm.objects(QuietBox.self), box = realm.object(ofType: QuietBox.self, forPrimaryKey: 0)!
        let sections = boxes.sorted(by: \.id).sectioned(by: \.kind, ascending: true)
        var all = [
            watch(boxes, \.id), watch(boxes.where { $0.kind > 1 }.sorted(by: \.kind), \.id), watch(box.numbers) { $0 },
            watch(box.numbers.sorted(), \.self), watch(box.numbers.where { $0 > 5 }, \.self), watch(box.marks) { $0 },
            watch(box.marks.sorted(ascending: false), \.self),
        ]
        let sectioned = QuietWatcher { sections.map { $0.map(\.id) } }
        sectioned.token = sections.observe { [unowned sectioned] in sectioned.follow($0) }
        let object = QuietWatcher { [[box.kind]] }
        object.shown = [[box.kind]]
        object.token = box.observe(keyPaths: ["kind"]) { [unowned object] (change: ObjectChange<QuietBox>) in
            if case .change(_, let properties) = change { object.follow(properties[0]) }
        }
        let view = QuietView(projecting: box), projected = QuietWatcher { [[view.shown]] }
        projected.shown = [[view.shown]]
        projected.token = view.observe { [unowned projected] (change: ObjectChange<QuietView>) in
            if case .change(_, let properties) = change { projected.follow(properties[0]) }
        }
        all += [sectioned, object, projected]
        return all
    }

    private static func change(_ realm: Realm, _ random: inout SeededGenerator) {
        let box = realm.object(ofType: QuietBox.self, forPrimaryKey: 0)!
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let number = Int.random(in: 0..<10, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: box.numbers.append(number)
            case 1: if box.numbers.count > 6 { box.numbers.remove(at: number % box.numbers.count) }
            case 2: box.numbers.insert(number, at: number % (box.numbers.count + 1))
            case 3: box.marks.insert(number)
            case 4: box.marks.remove(number)
            case 5: box.kind = number % 3
            case 6 where number > 0:
                realm.create(QuietBox.self, value: ["id": number, "kind": number % 4], update: .modified)
            default:
                let others = realm.objects(QuietBox.self).where { $0.id > 0 }
                guard let other = others.first else { break }
                if number > 6 { realm.delete(other) } else { other.kind = number % 4 }
            }
        }
    }

    @Test func `S172: a write in which a closure changes something is quiet for those who knew it all`() throws {
        try withQueueRealm(Self.types) { queue in
            try queue.run { realm in
                let boxes = realm.objects(QuietBox.self)
                try realm.write { for id in 0..<3 { realm.create(QuietBox.self, value: ["id": id]) } }
                var isFirst = true
                queue.tokens = (0..<3).map { number in
                    boxes.observe { change in
                        queue.log.append("\(number) \(text(change))")
                        guard number == 1, realm.isInWriteTransaction, isFirst else { return }
                        isFirst = false
                        boxes[0].kind = 7
                    }
                }
            }
            #expect(queue.told() == ["0 initial 3", "1 initial 3", "2 initial 3"])
            try queue.run { realm in
                try realm.write { realm.objects(QuietBox.self)[2].kind = 5 }
                try realm.write(withoutNotifying: queue.tokens) {
                    realm.create(QuietBox.self, value: ["id": 9])
                }
            }
            // The last one learned nothing before the write, so that it is told of both.
            #expect(queue.told() == ["0 3: -[] +[] ~[2]", "1 3: -[] +[] ~[2]", "2 4: -[] +[3] ~[0, 2]"])
            try queue.run { realm in try realm.write { realm.objects(QuietBox.self)[3].kind = 5 } }
            #expect(queue.told() == (0..<3).map { "\($0) 4: -[] +[] ~[3]" })
        }
    }

    @Test func `S172: what is told after quiet writes leads from what they left to what is there`() throws {
        let seed = testSeed("quiet writes")
        var random = SeededGenerator(state: seed)
        try withQueueRealm(Self.types) { queue in
            var watchers: [QuietWatcher] = []
            try queue.run { realm in
                try realm.write { realm.create(QuietBox.self, value: ["id": 0, "numbers": [3, 8, 5]]) }
                watchers = Self.watchers(realm)
            }
            queue.settle()
            for _ in 0..<300 {
                if Int.random(in: 0..<3, using: &random) == 0 {
                    let state = random.next()
                    try queue.elsewhere { realm in
                        var random = SeededGenerator(state: state)
                        Self.change(realm, &random)
                    }
                    queue.run { realm in _ = realm.refresh() }
                } else {
                    try queue.run { realm in
                        let quiet = watchers.filter { _ in Bool.random(using: &random) }
                        realm.beginWrite()
                        Self.change(realm, &random)
                        try realm.commitWrite(withoutNotifying: quiet.map { $0.token! })
                        for watcher in quiet { watcher.didWrite() }
                    }
                }
                if Bool.random(using: &random) { queue.settle() }
            }
            queue.settle()
            queue.run { _ in
                for watcher in watchers {
                    watcher.check()
                    watcher.token = nil
                }
            }
        }
    }
}
