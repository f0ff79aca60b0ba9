// SPDX-License-Identifier: MIT
// RandomPredicatesTests.swift -- random expressions of #Predicate, compared with what Foundation says of each object.
//
// The macro makes calls of `PredicateExpressions.build_...`; here they are made by chance, so that every expression can
// stand in every other one.

import Foundation
import Strata
import Testing

class Hound: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var age: Int
    @Persisted var optAge: Int?
    @Persisted var flag: Bool
    @Persisted var optFlag: Bool?
    @Persisted var nick: String?
    @Persisted var friend: Hound?
    @Persisted var friends: List<Hound>
    @Persisted var numbers: List<Int>
    @Persisted var optNumbers: List<Int?>
    @Persisted var words: List<String>
    @Persisted(originProperty: "friend") var fans: LinkingObjects<Hound>
}

private typealias Made = PredicateExpressions
private typealias Variable = PredicateExpressions.Variable<Hound>
private typealias Condition = any StandardPredicateExpression<Bool>
private typealias Truth = any StandardPredicateExpression<Bool?>
private typealias Count = any StandardPredicateExpression<Int?>

private func property<Value>(
    _ root: Variable, _ path: any KeyPath<Hound, Value> & Sendable
) -> Made.KeyPath<Variable, Value> {
    Made.build_KeyPath(root: root, keyPath: path)
}

private func equal<Value: Equatable>(
    _ left: some StandardPredicateExpression<Value>, _ right: some StandardPredicateExpression<Value>, _ isEqual: Bool
) -> Condition {
    isEqual ? Made.build_Equal(lhs: left, rhs: right) : Made.build_NotEqual(lhs: left, rhs: right)
}

private func compare<Value: Comparable & Codable & Sendable>(
    _ left: some StandardPredicateExpression<Value>, _ value: Value, _ way: Int
) -> Condition {
    let constant = Made.build_Arg(value)
    switch way % 6 {
    case 0: return equal(left, constant, true)
    case 1: return equal(left, constant, false)
    case 2: return Made.build_Comparison(lhs: left, rhs: constant, op: .lessThan)
    case 3: return Made.build_Comparison(lhs: left, rhs: constant, op: .lessThanOrEqual)
    case 4: return Made.build_Comparison(lhs: left, rhs: constant, op: .greaterThan)
    default: return Made.build_Comparison(lhs: left, rhs: constant, op: .greaterThanOrEqual)
    }
}

private func with(_ value: some StandardPredicateExpression<Bool?>, or other: Bool) -> Condition {
    Made.build_NilCoalesce(lhs: value, rhs: Made.build_Arg(other))
}

private func with(
    _ value: some StandardPredicateExpression<Bool?>, or other: some StandardPredicateExpression<Bool>
) -> Condition {
    Made.build_NilCoalesce(lhs: value, rhs: other)
}

private func with(
    _ count: some StandardPredicateExpression<Int?>, or other: Int, _ value: Int, _ way: Int
) -> Condition {
    compare(Made.build_NilCoalesce(lhs: count, rhs: Made.build_Arg(other)), value, way)
}

private func not(_ condition: some StandardPredicateExpression<Bool>) -> Condition { Made.build_Negation(condition) }

private func both(
    _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>, _ isAnd: Bool
) -> Condition {
    isAnd ? Made.build_Conjunction(lhs: left, rhs: right) : Made.build_Disjunction(lhs: left, rhs: right)
}

private func choice(
    _ test: some StandardPredicateExpression<Bool>, _ one: some StandardPredicateExpression<Bool>,
    _ other: some StandardPredicateExpression<Bool>
) -> Condition {
    Made.build_Conditional(test, one, other)
}

// MARK: Closures

/// Makes an expression with a closure, whose type is found by a first call. `make` gives the same each time.
private enum Closure {
    private static func shown<Value>(
        _ root: Variable, _ make: (Variable) -> any StandardPredicateExpression<Value>
    ) -> any StandardPredicateExpression<Value> {
        var shown: (any StandardPredicateExpression<Value>)?
        _ = Made.build_flatMap(property(root, \.friend)) { inner in
            shown = make(inner)
            return Made.build_Arg(true)
        }
        return shown!
    }

    static func friend(_ root: Variable, _ make: (Variable) -> Condition) -> Truth {
        func build<Body: StandardPredicateExpression<Bool>>(_: Body) -> Truth {
            Made.build_flatMap(property(root, \.friend)) { make($0) as! Body }
        }
        return build(shown(root, make))
    }

    static func friendCount(_ root: Variable, _ make: (Variable) -> Count) -> Count {
        func build<Body: StandardPredicateExpression<Int?>>(_: Body) -> Count {
            Made.build_flatMap(property(root, \.friend)) { make($0) as! Body }
        }
        return build(shown(root, make))
    }

    static func friends(_ root: Variable, all: Bool, _ make: (Variable) -> Condition) -> Condition {
        func build<Body: StandardPredicateExpression<Bool>>(_: Body) -> Condition {
            all
                ? Made.build_allSatisfy(property(root, \.friends)) { make($0) as! Body }
                : Made.build_contains(property(root, \.friends)) { make($0) as! Body }
        }
        return build(shown(root, make))
    }

    static func fans(_ root: Variable, _ make: (Variable) -> Condition) -> Condition {
        func build<Body: StandardPredicateExpression<Bool>>(_: Body) -> Condition {
            Made.build_contains(property(root, \.fans)) { make($0) as! Body }
        }
        return build(shown(root, make))
    }

    static func count(_ root: Variable, _ value: Int, _ way: Int, _ make: (Variable) -> Condition) -> Condition {
        func build<Body: StandardPredicateExpression<Bool>>(_: Body) -> Condition {
            let filtered = Made.build_filter(property(root, \.friends)) { make($0) as! Body }
            return compare(Made.build_KeyPath(root: filtered, keyPath: \[Hound].count), value, way)
        }
        return build(shown(root, make))
    }

    /// A condition on the values of a list.
    static func values<Element: RealmCollectionValue & Codable>(
        _ list: Made.KeyPath<Variable, List<Element>>, all: Bool, _ make: (Made.Variable<Element>) -> Condition
    ) -> Condition {
        var shown: Condition = Made.build_Arg(true)
        _ = Made.build_contains(list) { element in
            shown = make(element)
            return Made.build_Arg(true)
        }
        func build<Body: StandardPredicateExpression<Bool>>(_: Body) -> Condition {
            all
                ? Made.build_allSatisfy(list) { make($0) as! Body }
                : Made.build_contains(list) { make($0) as! Body }
        }
        return build(shown)
    }
}

// MARK: By chance

private struct PredicateMaker {
    var random: SeededGenerator

    init(_ seed: UInt64) { random = SeededGenerator(state: seed) }

    private mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
    private mutating func coin() -> Bool { below(2) == 0 }
    private mutating func maybe<Value>(_ value: Value) -> Value? { below(3) == 0 ? nil : value }

    /// What makes conditions inside of a closure, the same each time.
    private mutating func inner(_ depth: Int) -> (Variable) -> Condition {
        let seed = random.next()
        return { root in
            var maker = PredicateMaker(seed)
            return maker.condition(root, depth - 1)
        }
    }

    mutating func condition(_ root: Variable, _ depth: Int) -> Condition {
        if depth <= 0 { return leaf(root) }
        let isEqual = coin(), value = below(3), way = below(6)
        switch below(18) {
        case 0, 1: return both(condition(root, depth - 1), condition(root, depth - 1), isEqual)
        case 2: return not(condition(root, depth - 1))
        case 3, 4: return equal(condition(root, depth - 1), condition(root, depth - 1), isEqual)
        case 5:
            return choice(condition(root, depth - 1), condition(root, depth - 1), condition(root, depth - 1))
        case 6: return with(truth(root, depth), or: coin())
        case 7: return with(truth(root, depth), or: condition(root, depth - 1))
        case 8: return equal(truth(root, depth), Made.build_Arg(maybe(coin())), isEqual)
        case 9, 10: return equal(truth(root, depth), truth(root, depth), isEqual)
        case 11: return Closure.friends(root, all: false, inner(depth))
        case 12: return Closure.friends(root, all: true, inner(depth))
        case 13: return Closure.fans(root, inner(depth))
        case 14: return Closure.count(root, value, way, inner(depth))
        default: return leaf(root)
        }
    }

    private mutating func truth(_ root: Variable, _ depth: Int) -> Truth {
        switch below(5) {
        case 0, 1: return property(root, \.optFlag)
        case 2: return Made.build_flatMap(property(root, \.friend)) { property($0, \.optFlag) }
        case 3: return Made.build_flatMap(property(root, \.nick)) { Made.build_contains($0, Made.build_Arg("a")) }
        default: return Closure.friend(root, inner(depth))
        }
    }

    /// A number of elements behind an optional chain.
    private mutating func count(_ root: Variable) -> Count {
        let friend = property(root, \.friend)
        switch below(6) {
        case 0:
            return Made.build_flatMap(friend) {
                Made.build_KeyPath(root: property($0, \.friends), keyPath: \List<Hound>.count)
            }
        case 1:
            return Made.build_flatMap(friend) {
                Made.build_KeyPath(root: property($0, \.numbers), keyPath: \List<Int>.count)
            }
        case 2:
            return Made.build_flatMap(friend) {
                let filtered = Made.build_filter(property($0, \.friends)) { property($0, \.flag) }
                return Made.build_KeyPath(root: filtered, keyPath: \[Hound].count)
            }
        case 3: return Made.build_flatMap(friend) { Made.build_min(property($0, \.numbers)) }
        case 4:
            return Made.build_flatMap(Made.build_flatMap(friend) { property($0, \.friend) }) {
                Made.build_KeyPath(root: property($0, \.fans), keyPath: \LinkingObjects<Hound>.count)
            }
        default:
            let seed = random.next()
            return Closure.friendCount(root) { inner in
                var maker = PredicateMaker(seed)
                return maker.count(inner)
            }
        }
    }

    /// Whether some values of a list, or all, meet comparisons.
    private mutating func values(_ root: Variable) -> Condition {
        let all = coin(), isEqual = coin(), seed = random.next(), way = below(6)
        let word = ["a", "b", "ab"][below(3)], none = maybe(below(3))
        switch below(6) {
        case 0:
            return Closure.values(property(root, \.words), all: false) {
                Made.build_starts($0, with: Made.build_Arg(word))
            }
        case 1: return Closure.values(property(root, \.words), all: all) { compare($0, word, way) }
        case 2:
            return Closure.values(property(root, \.optNumbers), all: all) { equal($0, Made.build_Arg(none), isEqual) }
        default:
            return Closure.values(property(root, \.numbers), all: all) { element in
                var maker = PredicateMaker(seed)
                return maker.comparisons(element, 2, all)
            }
        }
    }

    /// Comparisons of a value that can be tested: joined by || if some value is to meet them, by && if all are.
    private mutating func comparisons(_ element: Made.Variable<Int>, _ depth: Int, _ isAnd: Bool) -> Condition {
        let value = below(4), way = below(6)
        switch depth == 0 ? 3 : below(4) {
        case 0, 1:
            return both(comparisons(element, depth - 1, isAnd), comparisons(element, depth - 1, isAnd), isAnd)
        case 2: return not(comparisons(element, depth - 1, !isAnd))
        default: return compare(element, value, way)
        }
    }

    private mutating func leaf(_ root: Variable) -> Condition {
        let value = below(4), other = below(4), way = below(6), isEqual = coin()
        switch below(14) {
        case 0: return property(root, \.flag)
        case 1, 2: return with(property(root, \.optFlag), or: isEqual)
        case 3: return equal(property(root, \.optFlag), Made.build_Arg(maybe(coin())), isEqual)
        case 4: return compare(property(root, \.age), value, way)
        case 5: return equal(property(root, \.optAge), Made.build_Arg(maybe(value)), isEqual)
        case 6: return with(property(root, \.optAge), or: other, value, way)
        case 7:
            return compare(
                Made.build_KeyPath(root: property(root, \.friends), keyPath: \List<Hound>.count), value, way)
        case 8, 9: return equal(count(root), Made.build_Arg(maybe(value)), isEqual)
        case 10: return with(count(root), or: other, value, way)
        case 11: return equal(property(root, \.friend), Made.build_NilLiteral(), isEqual)
        default: return values(root)
        }
    }
}

@Suite struct RandomPredicatesTests {
    private func hounds(_ realm: Realm, _ random: inout SeededGenerator) throws {
        func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &random) }
        try realm.write {
            let all = (0..<40).map { realm.create(Hound.self, value: [$0]) }
            for hound in all {
                hound.age = below(4)
                hound.optAge = [nil, 0, 1, 2][below(4)]
                hound.flag = below(2) == 0
                hound.optFlag = [nil, true, false][below(3)]
                hound.nick = [nil, "a", "b", "ab"][below(4)]
                hound.friend = below(3) == 0 ? nil : all[below(all.count)]
                for _ in 0..<below(4) { hound.friends.append(all[below(all.count)]) }
                for _ in 0..<below(4) { hound.numbers.append(below(4)) }
                for _ in 0..<below(4) { hound.optNumbers.append([nil, 0, 1, 2][below(4)]) }
                for _ in 0..<below(4) { hound.words.append(["", "a", "b", "abc", "c"][below(5)]) }
            }
        }
    }

    /// STRATA_SOAK asks for more of them.
    @Test func `random predicates find what Foundation says of each object`() throws {
        let count = ProcessInfo.processInfo.environment["STRATA_SOAK"].flatMap(Int.init) ?? 3000
        let seed = testSeed("random predicates")
        var random = SeededGenerator(state: seed), mismatches = 0, met = 0
        try withRealm([Hound.self]) { realm in
            try hounds(realm, &random)
            let hounds = realm.objects(Hound.self), plain = Array(hounds)
            for number in 0..<count where mismatches < 10 {
                let seed = random.next()
                let predicate = Predicate<Hound> { hound in
                    var maker = PredicateMaker(seed)
                    return maker.condition(hound, number % 4)
                }
                let expected = try plain.filter(predicate.evaluate).map(\.id)
                let found = hounds.filter(predicate).map(\.id)
                if !expected.isEmpty && expected.count < plain.count { met += 1 }
                guard found != expected else { continue }
                mismatches += 1
                Issue.record("predicate \(number): \(predicate)\nexpected \(expected)\nfound    \(found)")
            }
        }
        print("random predicates: \(count), of which \(met) held for some, mismatches \(mismatches)")
        #expect(met > count / 3)
    }
}
