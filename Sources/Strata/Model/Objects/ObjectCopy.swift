// SPDX-License-Identifier: MIT
// ObjectCopy.swift -- the values of an object, apart from its realm.

/// The values of an object at some moment, and those of the objects that chosen links lead to. Nothing changes it, and
/// nothing in it refers to a realm, so that every thread may read it.
final class ObjectCopy: Sendable {
    let layout: ClassLayout
    /// In the order of the slots.
    let values: [CopiedValue]

    fileprivate init(_ layout: ClassLayout, _ values: [CopiedValue]) {
        (self.layout, self.values) = (layout, values)
    }

    /// The value behind the names of properties, each but the last of which leads to an object; nil if one of these
    /// links is nil.
    func value(_ names: [String]) -> CopiedValue? {
        var copy = self
        for (position, name) in names.enumerated() {
            guard let index = copy.layout.index(of: name) else {
                misuse("a snapshot of \(copy.layout.schema.className) has no property '\(name)'")
            }
            if position == names.count - 1 { return copy.values[index] }
            guard case .object(let next) = copy.values[index].included(copy, index) else { return nil }
            copy = next
        }
        return nil
    }
}

/// A value in an ``ObjectCopy``.
enum CopiedValue: Sendable {
    case plain(PlainValue)
    case object(ObjectCopy)
    case elements([CopiedValue])
    case entries([(key: String, value: CopiedValue)])
    /// Links that were not asked for.
    case leftOut

    static var null: CopiedValue { .plain(PlainValue(.null)) }

    /// Itself; stops the program if it was not asked for.
    func included(_ copy: ObjectCopy, _ index: Int) -> CopiedValue {
        guard case .leftOut = self else { return self }
        let name = copy.layout.slots[index].property.name
        misuse(
            "this snapshot of \(copy.layout.schema.className) was made without '\(name)'; ask for the link: "
                + "snapshot(including: \\.\(name))")
    }

    /// The value with unmanaged objects. What was left out is nil or empty.
    var stored: _StoredValue {
        switch self {
        case .plain(let value): value.stored
        case .object(let copy): .object(copy.unmanaged())
        case .elements(let values): .elements(values.map(\.stored))
        case .entries(let entries): .entries(entries.map { ($0.key, $0.value.stored) })
        case .leftOut: .null
        }
    }
}

/// A value that refers to no object and no collection.
struct PlainValue: @unchecked Sendable {  // none of the cases that it may have refers to anything that changes
    let stored: _StoredValue

    fileprivate init(_ stored: _StoredValue) {
        switch stored {
        case .object, .collection, .elements, .entries: misuse("\(stored.text) is no plain value")
        default: self.stored = stored
        }
    }
}

/// Names of links, as a tree: which links are followed, and which from there.
struct LinkPaths {
    fileprivate private(set) var next: [String: LinkPaths] = [:]

    /// Adds a path from objects of a class; stops the program if a name is no link there.
    mutating func add(_ names: ArraySlice<String>, from layout: ClassLayout) {
        guard let name = names.first else { return }
        guard let slot = layout.index(of: name).map({ layout.slots[$0] }) else {
            misuse(
                "\(layout.schema.className) has no property '\(name)' that a snapshot could include"
                    + CloseName.hint(name, layout))
        }
        if slot.target == nil && names.count > 1 {
            misuse("\(layout.schema.className).\(name) is no link, so that a snapshot cannot include what is behind it")
        }
        next[name, default: LinkPaths()].add(names.dropFirst(), from: slot.target.map(ClassLayout.of) ?? layout)
    }
}

/// Makes copies of objects. Lives for one call.
struct ObjectCopier {
    /// An object and a node of the tree of links; each is copied once.
    private struct Known: Hashable {
        let table: UInt32
        let key: UInt64
        let path: String
    }
    private var known: [Known: ObjectCopy] = [:]

    /// - Parameters:
    ///   - links: those to follow from the object. Embedded objects are always copied.
    ///   - path: leads to `links` from where the copy begins.
    mutating func copy(_ object: ObjectBase, _ links: LinkPaths, _ path: String = "") -> ObjectCopy {
        let place = object._mode == .live ? Known(table: object.row.table, key: object.row.key, path: path) : nil
        if let place, let copy = known[place] { return copy }
        let layout = object.layout
        let values = layout.slots.indices.map { value(object, layout.slots[$0], $0, links, path) }
        let copy = ObjectCopy(layout, values)
        if let place { known[place] = copy }
        return copy
    }

    private mutating func value(
        _ object: ObjectBase, _ slot: ClassLayout.Slot, _ index: Int, _ links: LinkPaths, _ path: String
    ) -> CopiedValue {
        let property = slot.property
        let next = links.next[property.name]
        let isPart = slot.target is EmbeddedObject.Type && property.type == .object
        if property.type == .object || property.type == .linkingObjects, next == nil, !isPart { return .leftOut }
        let behind = next ?? LinkPaths(), path = path + "." + property.name
        if property.type == .linkingObjects {
            let objects = object.plainValue(index) as? any BacklinkedObjects
            return .elements(objects?.backlinkedObjects.map { .object(copy($0, behind, path)) } ?? [])
        }
        return value(object.storedValue(index), next != nil || isPart ? behind : nil, path)
    }

    /// - Parameter links: nil if objects are left out.
    private mutating func value(_ stored: _StoredValue, _ links: LinkPaths?, _ path: String) -> CopiedValue {
        switch stored {
        case .object(let object as ObjectBase):
            guard let links = links ?? (object.isEmbedded ? LinkPaths() : nil) else { return .leftOut }
            return object.isInvalidated ? .null : .object(copy(object, links, path))
        case .collection(let collection as any PersistedCollection): return value(collection.contents, links, path)
        case .elements(let values): return .elements(values.map { value($0, links, path) })
        case .entries(let entries): return .entries(entries.map { ($0.key, value($0.value, links, path)) })
        default: return .plain(PlainValue(stored))
        }
    }
}

extension ObjectCopy {
    /// An unmanaged object with the values. Links that were left out are nil, and collections of them empty.
    func unmanaged() -> ObjectBase {
        let object = layout.type.init()
        for index in 0..<layout.storedCount {
            if case .leftOut = values[index] { continue }
            let slot = layout.slots[index]
            if !object.setStored(slot, index, values[index].stored) {
                misuse("\(layout.schema.className).\(slot.property.name) does not take the value of its snapshot")
            }
        }
        return object
    }
}

/// Objects that link to one.
protocol BacklinkedObjects {
    var backlinkedObjects: [ObjectBase] { get }
}

extension LinkingObjects: BacklinkedObjects {
    var backlinkedObjects: [ObjectBase] { Array(self) }
}
