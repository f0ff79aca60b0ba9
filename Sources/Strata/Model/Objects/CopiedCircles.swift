// SPDX-License-Identifier: MIT
// CopiedCircles.swift -- objects that link to each other in circles, while they are copied.

/// The objects that are being copied, and the copies of those that lead back to one of them.
///
/// Objects that lead to each other are copied once for each way into their circle, as an object in no circle is copied
/// once for each link to it. This is Tarjan's algorithm: a circle is forgotten when the object is done through which it
/// was entered. Embedded objects are copied for each link to them, because each copy has one owner.
///
/// Once one of the objects is left for later, none is forgotten any more: it may lead back to each of them, and is found
/// to do so when they are done. All links to an object lead to the same copy then.
struct CopiedCircles {
    /// Each with its original, whose address is not used again that way.
    private var copies: [CopiedObject: (copy: ObjectBase, number: Int, original: ObjectBase)] = [:]
    /// Those that are not forgotten, in the order in which they were begun.
    private var all: [CopiedObject] = []
    private var begun = 0
    /// The lowest number of an object that the one being copied was found to lead to.
    private var lowest = Int.max
    private var someAreLeft = false

    /// Where an object stands whose copy is under way.
    struct Place {
        fileprivate let number: Int
        fileprivate let position: Int
        fileprivate let lowestBefore: Int
        fileprivate let isEmbedded: Bool
    }

    /// The copy to link to instead of making another one; nil if there is none.
    mutating func copy(of original: ObjectBase) -> ObjectBase? {
        guard let found = copies[CopiedObject(original)] else { return nil }
        lowest = min(lowest, found.number)
        return found.copy
    }

    /// Must be called before what an object links to is copied, and `end` afterwards.
    mutating func begin(_ original: ObjectBase, _ copy: ObjectBase) -> Place {
        let place = Place(
            number: begun, position: all.count, lowestBefore: lowest, isEmbedded: original.isEmbedded)
        let key = CopiedObject(original)
        copies[key] = (copy, begun, original)
        all.append(key)
        begun += 1
        lowest = Int.max
        return place
    }

    /// Must be called when the copy of an object is made that will be filled later.
    mutating func leave(_ original: ObjectBase, _ copy: ObjectBase) {
        someAreLeft = true
        if !original.isEmbedded { copies[CopiedObject(original)] = (copy, 0, original) }
    }

    mutating func end(_ place: Place) {
        if place.isEmbedded { copies[all[place.position]] = nil }
        if someAreLeft { return }
        if lowest >= place.number {
            for key in all[place.position...] { copies[key] = nil }
            all.removeSubrange(place.position...)
            lowest = Int.max
        }
        lowest = min(lowest, place.lowestBefore)
    }
}

/// An object that is being copied. Each read of a link makes another instance, so that live objects are told apart by
/// their rows.
private struct CopiedObject: Hashable {
    private let owner: ObjectIdentifier
    private let key: UInt64

    init(_ object: ObjectBase) {
        if object._mode == .live, let managed = object.managed {
            (owner, key) = (ObjectIdentifier(managed), object.row.key)
        } else {
            (owner, key) = (ObjectIdentifier(object), 0)
        }
    }
}
