// SPDX-License-Identifier: MIT
// SchemaDiscovery.swift -- finds all model classes and projections of the process: the only file that reads Swift's
// type records.
//
// Every loaded image lists its types in a section; the runtime enumerates these sections. A record is a relative
// pointer to a context descriptor. A class is a model if its chain of superclass references reaches the descriptor
// of ObjectBase, and a projection if it reaches that of Projection. Classes that are private, or local to a function,
// are found like all others; generic ones, and those nested in something generic, are not, because they are no single
// class, but classes derived from them may be.
// Nothing needs to be registered. Each of the two searches is made once: classes of images that are loaded after a realm
// was opened need `objectTypes`.
//
// The chain is followed from descriptor to descriptor, without the arguments of generic classes: asking the runtime
// for a class makes it, and one that is generic cannot be made without its arguments. Only models and projections are
// asked for.

import Foundation

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateAllMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool, _ context: UnsafeMutableRawPointer?
)

/// The model classes and the projections of the process.
enum SchemaDiscovery {
    private static let lock = NSLock()
    // Both are guarded by `lock`.
    nonisolated(unsafe) private static var classes: [ObjectBase.Type]?
    nonisolated(unsafe) private static var shown: [any ProjectionObservable.Type]?

    /// All subclasses of `Object` in the images loaded so far that want to be in the default schema.
    static func defaultClasses() -> [ObjectBase.Type] {
        lock.withLock {
            if let classes { return classes }
            let found = search(for: ObjectBase.self) { $0 as? ObjectBase.Type }
                .filter { !$0.isOfTheLibrary && $0.shouldIncludeInDefaultSchema() }
            classes = found
            return found
        }
    }

    /// All subclasses of `Projection` in the images loaded so far that are no generic classes. Makes no other class.
    static func projections() -> [any ProjectionObservable.Type] {
        lock.withLock {
            if let shown { return shown }
            let found = search(for: Projection<Object>.self) { $0 as? any ProjectionObservable.Type }
            shown = found
            return found
        }
    }

    /// The classes that inherit from one, in the order of their names.
    private static func search<Found>(for base: AnyClass, _ cast: (Any.Type) -> Found?) -> [Found] {
        var walk = ClassWalk(to: base), found: [(name: String, type: Found)] = []
        for section in sections() {
            for offset in stride(from: 0, to: section.count - 3, by: 4) {
                guard let start = section.baseAddress else { break }
                guard let descriptor = ClassDescriptor(typeRecord: start + offset), !descriptor.isGeneric,
                    walk.leads(from: descriptor), let type = descriptor.type(), let one = cast(type)
                else { continue }
                found.append((String(reflecting: type), one))
            }
        }
        return found.sorted { $0.name < $1.name }.map(\.type)
    }

    /// The type records of all images.
    private static func sections() -> [UnsafeRawBufferPointer] {
        var sections: [UnsafeRawBufferPointer] = []
        withUnsafeMutablePointer(to: &sections) { pointer in
            enumerateAllMetadataSections(
                { section, context in
                    let start = section.load(fromByteOffset: MetadataSections.typeRecords, as: UInt.self)
                    let size = section.load(fromByteOffset: MetadataSections.typeRecords + 8, as: Int.self)
                    context?.assumingMemoryBound(to: [UnsafeRawBufferPointer].self).pointee
                        .append(UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: size))
                    return true
                }, pointer)
        }
        return sections
    }
}

extension ObjectBase {
    /// Whether this is a base class of models and no model.
    class var isOfTheLibrary: Bool { self == Object.self || self == EmbeddedObject.self || self == DynamicObject.self }
}

/// Offsets in the runtime's `MetadataSections`: a version, three pointers, then (start, length) pairs of which the
/// third are the type records.
private enum MetadataSections {
    static let typeRecords = 4 * MemoryLayout<UInt>.size + 2 * 2 * MemoryLayout<UInt>.size
}

/// The descriptor of a class. Offsets are those in the runtime's `TargetClassDescriptor`.
private struct ClassDescriptor {
    let address: UnsafeRawPointer

    /// Nil if there is no descriptor, or if it is not that of a class.
    init?(_ descriptor: UnsafeRawPointer?) {
        guard let descriptor, descriptor.load(as: UInt32.self) & 0x1f == 16 else { return nil }
        address = descriptor
    }

    /// Follows a type record; nil if it is not of a class.
    init?(typeRecord record: UnsafeRawPointer) {
        let value = record.load(as: Int32.self)
        guard value != 0 else { return nil }
        let target = record + Int(value & ~3)
        switch value & 3 {
        case 0: self.init(target)
        case 1: self.init(target.load(as: UnsafeRawPointer?.self))
        default: return nil
        }
    }

    /// The descriptor of a class that is known.
    init(of type: AnyClass) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    /// Whether the class, or what it is nested in, has generic parameters.
    var isGeneric: Bool { address.load(as: UInt32.self) & 0x80 != 0 }

    /// The superclass, whatever its generic arguments are; nil for a root class.
    ///
    /// The mangled name of the superclass begins with a reference to its descriptor: a byte for the kind of reference,
    /// 1 for a direct one and 2 for one through a pointer, then a relative pointer that need not be aligned. Behind it
    /// the name ends, or the generic arguments follow, which begin with a "y". The compiler writes no other names for
    /// classes that are declared in Swift, so that what looks different is no model.
    var superclass: ClassDescriptor? {
        guard let name = relative(20) else { return nil }
        let kind = name.load(as: UInt8.self)
        guard kind == 1 || kind == 2 else { return nil }
        let next = name.load(fromByteOffset: 5, as: UInt8.self)
        guard next == 0 || next == UInt8(ascii: "y") else { return nil }
        let target = name + 1 + Int(name.loadUnaligned(fromByteOffset: 1, as: Int32.self))
        return ClassDescriptor(kind == 1 ? target : target.load(as: UnsafeRawPointer?.self))
    }

    /// The class of the descriptor, which is not generic. Asks the access function of the class, which makes its
    /// metadata if that is not yet there, and which takes no arguments of such a class.
    func type() -> Any.Type? {
        guard let function = relative(12) else { return nil }
        typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
        guard let metadata = unsafeBitCast(function, to: Accessor.self)(0) else { return nil }
        return unsafeBitCast(metadata, to: Any.Type.self)
    }

    private func relative(_ offset: Int) -> UnsafeRawPointer? {
        let value = address.load(fromByteOffset: offset, as: Int32.self)
        return value == 0 ? nil : address + offset + Int(value)
    }
}

/// Remembers which classes inherit from one.
private struct ClassWalk {
    private var known: [UnsafeRawPointer: Bool] = [:]
    private let base: UnsafeRawPointer

    init(to base: AnyClass) { self.base = ClassDescriptor(of: base).address }

    /// Whether a class inherits from the one of this walk, directly or not.
    mutating func leads(from descriptor: ClassDescriptor) -> Bool {
        if let answer = known[descriptor.address] { return answer }
        var answer = false
        if let superclass = descriptor.superclass {
            answer = superclass.address == base || leads(from: superclass)
        }
        known[descriptor.address] = answer
        return answer
    }
}
