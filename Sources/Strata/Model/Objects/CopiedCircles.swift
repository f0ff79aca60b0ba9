// SPDX-License-Identifier: MIT
// CopiedCircles.swift -- objects that link to each other in circles, while they are copied.

/// The objects that are being copied, and the copies of those that lead back to one of them.
///
/// Objects that lead to each other are copied once for each way into their circle, as an object in no circle is copied
/// once for each link to it. This is Tarjan's algorithm: a circle is forgotten when the object is done through which it
/// was entered. Embedded objects are copied for each link to them, because each copy has one owner.
///
/// As soon as something of an object is left for later, no object is forgotten that is not embedded: what is left may
/// lead back to each of them. So links that are followed from then on lead to one copy.
struct CopiedCircles {
    /// Each with its original, which is kept alive, so that no other object gets its address.
    private var copies: [CopiedObject: (copy: ObjectBase, number: Int, original: ObjectBase)] = [:]
    /// Those that are not forgotten, in the order in which they were begun.
    private var all: [CopiedObject] = []
    private var begun = 0
    /// The lowest number of an object that the one being copied was found to lead to.
    private var lowest = Int.max
    private var keepsAll = false
    /// How many copies there are of embedded objects since then. The originals are kept alive as above.
    private var embedded: [CopiedObject: (copies: Int, original: ObjectBase)] = [:]
    private static let mostEmbeddedCopies = 1000

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
    mutating func begin(_ original: ObjectBase, _ copy: ObjectBase) throws(Misfit) -> Place {
        let place = Place(
            number: begun, position: all.count, lowestBefore: lowest, isEmbedded: original.isEmbedded)
        let key = CopiedObject(original)
        if keepsAll, place.isEmbedded { try countCopy(of: original, key) }
        copies[key] = (copy, begun, original)
        all.append(key)
        begun += 1
        lowest = Int.max
        return place
    }

    private mutating func countCopy(of original: ObjectBase, _ key: CopiedObject) throws(Misfit) {
        embedded[key, default: (0, original)].copies += 1
        if embedded[key, default: (0, original)].copies > Self.mostEmbeddedCopies {
            throw Misfit("is embedded in itself, or in more than \(Self.mostEmbeddedCopies) objects")
        }
    }

    /// Must be called before something of an object is left for later.
    mutating func keepAll() { keepsAll = true }

    mutating func end(_ place: Place) {
        if place.isEmbedded { copies[all[place.position]] = nil }
        if keepsAll { return }
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
