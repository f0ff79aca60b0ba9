// SPDX-License-Identifier: MIT
// HeldValue.swift -- plain values that say what a property holds, for random tests.

import Foundation
import Strata

/// What a property of an object holds. Objects are told apart by a class and a number.
indirect enum HeldValue: Hashable {
    case none, bool(Bool), int(Int), float(Float), double(Double), text(String), data(Data), date(Date)
    case uuid(UUID), id(ObjectId), decimal(Decimal128)
    case list([HeldValue]), set(Set<HeldValue>), map([String: HeldValue])
    case link(String, Int)
    /// An embedded object, as its properties.
    case embedded([String: HeldValue])

    /// - Parameter object: says what an object is.
    init(_ value: Any?, _ object: (ObjectBase) -> HeldValue) {
        guard let value else {
            self = .none
            return
        }
        guard let value = value as? any Holdable else { preconditionFailure("\(type(of: value)) is not known here") }
        self = value.held(object)
    }

    /// The links in it, also those inside of collections.
    var links: [HeldValue] {
        switch self {
        case .link: [self]
        case .list(let values): values.flatMap(\.links)
        case .set(let values): values.flatMap(\.links)
        case .map(let values): values.values.flatMap(\.links)
        case .embedded(let values): values.values.flatMap(\.links)
        default: []
        }
    }

    /// Without the links to objects that are gone: these are left out of lists and sets, and nil elsewhere.
    func without(_ gone: Set<HeldValue>) -> HeldValue {
        switch self {
        case .link: gone.contains(self) ? .none : self
        case .list(let values): .list(values.filter { !gone.contains($0) }.map { $0.without(gone) })
        case .set(let values): .set(values.subtracting(gone))
        case .map(let values): .map(values.mapValues { $0.without(gone) })
        case .embedded(let values): .embedded(values.mapValues { $0.without(gone) })
        default: self
        }
    }

    /// The value as programs give it.
    ///
    /// - Parameter link: gives what stands for an object.
    func plain(_ link: (String, Int) -> Any) -> Any {
        switch self {
        case .none: NSNull()
        case .bool(let value): value
        case .int(let value): value
        case .float(let value): value
        case .double(let value): value
        case .text(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .id(let value): value
        case .decimal(let value): value
        case .list(let values): values.map { $0.plain(link) }
        case .set(let values): values.map { $0.plain(link) }
        case .map(let values): values.mapValues { $0.plain(link) }
        case .link(let name, let number): link(name, number)
        case .embedded(let values): values.mapValues { $0.plain(link) }
        }
    }
}

extension HeldValue: CustomStringConvertible {
    var description: String {
        switch self {
        case .none: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)f"
        case .double(let value): "\(value)d"
        case .text(let value): "\"\(value)\""
        case .data(let value): "<\(value.map { "\($0)" }.joined(separator: " "))>"
        case .date(let value): "@\(value.timeIntervalSinceReferenceDate)"
        case .uuid(let value): "\(value)"
        case .id(let value): "\(value)"
        case .decimal(let value): "\(value)m"
        case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        case .set(let values): "{\(values.map(\.description).sorted().joined(separator: ", "))}"
        case .map(let values), .embedded(let values):
            "(\(values.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")))"
        case .link(let name, let number): "\(name) \(number)"
        }
    }
}

/// A value that a property can hold.
private protocol Holdable {
    func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue
}

extension Bool: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .bool(self) } }
extension Int: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .int(self) } }
extension Float: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .float(self) } }
extension Double: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .double(self) } }
extension String: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .text(self) } }
extension Data: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .data(self) } }
extension Date: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .date(self) } }
extension UUID: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .uuid(self) } }
extension ObjectId: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .id(self) } }
extension Decimal128: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .decimal(self) } }
extension NSNull: Holdable { fileprivate func held(_: (ObjectBase) -> HeldValue) -> HeldValue { .none } }

extension ObjectBase: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue { object(self) }
}

extension Optional: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue { HeldValue(map { $0 as Any }, object) }
}

extension List: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue { .list(map { HeldValue($0, object) }) }
}

extension MutableSet: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue {
        let values = map { HeldValue($0, object) }
        precondition(Set(values).count == values.count, "a set holds a value twice: \(values)")
        return .set(Set(values))
    }
}

extension Map: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue {
        .map(Dictionary(uniqueKeysWithValues: map { ("\($0.key)", HeldValue($0.value, object)) }))
    }
}

extension AnyRealmValue: Holdable {
    fileprivate func held(_ object: (ObjectBase) -> HeldValue) -> HeldValue {
        switch self {
        case .none: .none
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .text(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .object(let value): object(value)
        case .objectId(let value): .id(value)
        case .decimal128(let value): .decimal(value)
        case .uuid(let value): .uuid(value)
        case .list(let values): values.held(object)
        case .dictionary(let values): values.held(object)
        }
    }
}
