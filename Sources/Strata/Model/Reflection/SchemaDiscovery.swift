// SPDX-License-Identifier: MIT
// SchemaDiscovery.swift -- finds all model classes of the process: the only file that reads Swift's type records.
//
// Every loaded image lists its types in a section; the runtime enumerates these sections. A record is a relative
// pointer to a context descriptor. A class is a model if its chain of superclass references reaches the descriptor
// of Object. Classes that are private, or local to a function, are found like all others; generic ones are not
// models, because they are no single class. Nothing needs to be registered. The search is made once: classes of images
// that are loaded after a realm was opened need `objectTypes`.

import Foundation

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateAllMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool, _ context: UnsafeMutableRawPointer?
)

/// The model classes of the process.
enum SchemaDiscovery {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var found: [ObjectBase.Type]?  // guarded by `lock`

    /// All subclasses of `Object` in the images loaded so far that want to be in the default schema.
    static func defaultClasses() -> [ObjectBase.Type] {
        lock.withLock {
            if let found { return found }
            let classes = allClasses().filter { $0.shouldIncludeInDefaultSchema() }
            found = classes
            return classes
        }
    }

    /// All subclasses of `Object`, in the order of their names.
    private static func allClasses() -> [ObjectBase.Type] {
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
        var walk = ClassWalk()
        var classes: [ObjectBase.Type] = []
        for section in sections {
            for offset in stride(from: 0, to: section.count - 3, by: 4) {
                guard let start = section.baseAddress else { break }
                guard let descriptor = ContextDescriptor(typeRecord: start + offset) else { continue }
                if walk.isModel(descriptor), let type = descriptor.metatype() as? ObjectBase.Type, !type.isOfTheLibrary {
                    classes.append(type)
                }
            }
        }
        return classes.sorted { String(reflecting: $0) < String(reflecting: $1) }
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

/// The descriptor of a class.
private struct ContextDescriptor {
    let address: UnsafeRawPointer

    init(address: UnsafeRawPointer) { self.address = address }

    /// Follows a type record; nil if it is not of a class that is one class.
    init?(typeRecord record: UnsafeRawPointer) {
        let value = record.load(as: Int32.self)
        guard value != 0 else { return nil }
        let target = record + Int(value & ~3)
        switch value & 3 {
        case 0: address = target
        case 1: address = target.load(as: UnsafeRawPointer.self)
        default: return nil
        }
        guard isClass, !isGeneric else { return nil }
    }

    private var flags: UInt32 { address.load(as: UInt32.self) }
    var isClass: Bool { flags & 0x1f == 16 }
    private var isGeneric: Bool { flags & 0x80 != 0 }

    /// The mangled name of the superclass; nil for a root class.
    private var superclassName: UnsafeRawPointer? { relative(20) }

    /// The superclass; nil for a root class, for one that is generic, or if its name cannot be read.
    var superclass: ContextDescriptor? {
        guard let name = superclassName else { return nil }
        let control = name.load(as: UInt8.self)
        guard control == 1 || control == 2 else { return realisedSuperclass }
        guard name.load(fromByteOffset: 5, as: UInt8.self) == 0 else { return realisedSuperclass }
        let target = name + 1 + Int(name.loadUnaligned(fromByteOffset: 1, as: Int32.self))
        return ContextDescriptor(address: control == 1 ? target : target.load(as: UnsafeRawPointer.self))
    }

    /// The superclass of a class whose superclass is not written as a plain reference.
    private var realisedSuperclass: ContextDescriptor? {
        guard let type = metatype() as? AnyClass, let superclass = _getSuperclass(type) else { return nil }
        return ContextDescriptor(of: superclass)
    }

    /// The descriptor of a class that is known.
    init(of type: AnyClass) {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        address = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    /// The class itself. Asks the access function of the class, which makes its metadata if that is not yet there.
    func metatype() -> Any.Type? {
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

/// Remembers which classes are models.
private struct ClassWalk {
    private var known: [UnsafeRawPointer: Bool] = [:]
    private let base = ContextDescriptor(of: ObjectBase.self).address

    /// Whether a class inherits from `Object`, directly or not.
    mutating func isModel(_ descriptor: ContextDescriptor) -> Bool {
        if let answer = known[descriptor.address] { return answer }
        var answer = false
        if let superclass = descriptor.superclass, superclass.isClass {
            answer = superclass.address == base || isModel(superclass)
        }
        known[descriptor.address] = answer
        return answer
    }
}
