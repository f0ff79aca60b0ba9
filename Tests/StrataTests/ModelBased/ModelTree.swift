// SPDX-License-Identifier: MIT
// ModelTree.swift -- what values of any type should hold, and random changes of the lists and maps in them.

import Foundation
import Strata

/// A value of any type as plain Swift values.
enum ModelTree: Equatable {
    case none, int(Int), text(String), list([ModelTree]), map([String: ModelTree])

    init(_ value: AnyRealmValue) {
        switch value {
        case .int(let number): self = .int(number)
        case .string(let text): self = .text(text)
        case .list(let list): self = .list(list.map(ModelTree.init))
        case .dictionary(let map): self = .map(Self.entries(map))
        default: self = .none
        }
    }

    static func entries(_ map: Map<String, AnyRealmValue>) -> [String: ModelTree] {
        Dictionary(uniqueKeysWithValues: map.asKeyValueSequence().map { ($0.key, ModelTree($0.value)) })
    }

    var value: AnyRealmValue {
        switch self {
        case .none: .none
        case .int(let number): .int(number)
        case .text(let text): .string(text)
        case .list(let trees): .fromArray(trees.map(\.value))
        case .map(let trees): .fromDictionary(trees.mapValues(\.value))
        }
    }
}

extension RandomModel {
    /// A random tree, of at most that many levels.
    func tree(_ levels: Int) -> ModelTree {
        switch below(levels > 0 ? 8 : 4) {
        case 0: .none
        case 1: .text(String(repeating: "ü", count: below(below(10) == 0 ? 900 : 12)))
        case 2, 3: .int(below(1000))
        case 4, 5: .list((0..<below(5)).map { _ in tree(levels - 1) })
        default: .map(Dictionary((0..<below(5)).map { _ in ("k\(below(8))", tree(levels - 1)) }) { $1 })
        }
    }

    /// Changes a list or a map, or one inside of it, in both; false if this is neither.
    func editTree(_ value: AnyRealmValue, _ expected: inout ModelTree) -> Bool {
        switch (value, expected) {
        case (.list(let list), .list(var trees)):
            editTrees(list, &trees)
            expected = .list(trees)
        case (.dictionary(let map), .map(var trees)):
            editTrees(map, &trees)
            expected = .map(trees)
        default: return false
        }
        return true
    }

    func editTrees(_ list: List<AnyRealmValue>, _ trees: inout [ModelTree]) {
        let count = trees.count
        if count > 0, below(2) == 0 {
            // The handle is taken before elements around it move.
            let index = below(count), inner = list[index]
            if below(2) == 0 {
                list.insert(.int(-1), at: 0)
                trees.insert(.int(-1), at: 0)
                if editTree(inner, &trees[index + 1]) { return }
            } else if editTree(inner, &trees[index]) {
                return
            }
        }
        let index = below(trees.count + 1), new = tree(2)
        switch below(8) {
        case 0 where index < trees.count:
            list[index] = new.value
            trees[index] = new
        case 1 where index < trees.count:
            list.remove(at: index)
            trees.remove(at: index)
        case 2 where index < trees.count:
            let to = below(trees.count)
            list.move(from: index, to: to)
            trees.insert(trees.remove(at: index), at: to)
        case 3 where index < trees.count:
            list[index] = .list(list)  // into itself
            trees[index] = trees.count > 6 ? .none : .list(trees)
            if trees.count > 6 { list[index] = .none }
        case 4 where trees.count > 12:
            list.removeAll()
            trees.removeAll()
        case 5:
            list.append(objectsIn: [new.value, .int(7)])
            trees += [new, .int(7)]
        default:
            list.insert(new.value, at: index)
            trees.insert(new, at: index)
        }
        if size(.list(trees)) > 300 {
            list.removeAll()
            trees.removeAll()
        }
    }

    func editTrees(_ map: Map<String, AnyRealmValue>, _ trees: inout [String: ModelTree]) {
        let key = "k\(below(8))", new = tree(2)
        if let inner = map[key], var old = trees[key], below(2) == 0, editTree(inner, &old) {
            trees[key] = old
            return
        }
        switch below(5) {
        case 0:
            map[key] = nil
            trees[key] = nil
        case 1 where trees.count > 5:
            map.removeAll()
            trees.removeAll()
        case 2:
            map[key] = .dictionary(map)  // into itself
            trees[key] = size(.map(trees)) > 50 ? ModelTree.none : .map(trees)
            if trees[key] == ModelTree.none { map[key] = AnyRealmValue.none }
        default:
            map[key] = new.value
            trees[key] = new
        }
        if size(.map(trees)) > 300 {
            map.removeAll()
            trees.removeAll()
        }
    }

    private func size(_ tree: ModelTree) -> Int {
        switch tree {
        case .list(let trees): 1 + trees.map(size).reduce(0, +)
        case .map(let trees): 1 + trees.values.map(size).reduce(0, +)
        default: 1
        }
    }
}
