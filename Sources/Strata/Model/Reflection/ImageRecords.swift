// SPDX-License-Identifier: MIT
// ImageRecords.swift -- what the images of the process declare: the only file that reads records of Swift's runtime.
//
// Every loaded image lists its types, and which types conform to which protocols, in sections; the runtime enumerates
// them. Records are relative pointers of four bytes, those of types to context descriptors, those of conformances to
// conformance descriptors. The layouts are part of the ABI of Swift (docs/ABI/TypeMetadata.rst and
// include/swift/ABI/Metadata.h of the compiler's sources).

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateAllMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool, _ context: UnsafeMutableRawPointer?
)

/// The records of the images that are loaded.
enum ImageRecords {
    /// What records are of. The number is that of its (start, length) pair in the runtime's `MetadataSections`, which
    /// has a version and three pointers before these.
    enum Kind: Int {
        case conformances = 1
        case types = 2

        fileprivate var start: Int { (4 + 2 * rawValue) * MemoryLayout<UInt>.size }
        fileprivate var length: Int { start + MemoryLayout<UInt>.size }
    }

    /// The sections of all images.
    private static func sections() -> [UnsafeRawPointer] {
        var sections: [UnsafeRawPointer] = []
        withUnsafeMutablePointer(to: &sections) { pointer in
            enumerateAllMetadataSections(
                { section, context in
                    context?.assumingMemoryBound(to: [UnsafeRawPointer].self).pointee.append(section)
                    return true
                }, pointer)
        }
        return sections
    }

    /// How many images declare something.
    static var imageCount: Int { sections().count }

    /// Visits all records of a kind.
    static func forEach(_ kind: Kind, _ body: (UnsafeRawPointer) -> Void) {
        for section in sections() {
            guard let start = section.load(fromByteOffset: kind.start, as: UnsafeRawPointer?.self) else { continue }
            let length = section.load(fromByteOffset: kind.length, as: Int.self)
            for offset in stride(from: 0, to: length - 3, by: 4) { body(start + offset) }
        }
    }
}

/// The descriptor of a class. Offsets are those in the runtime's `TargetClassDescriptor`.
struct ClassDescriptor: Equatable {
    private let address: UnsafeRawPointer

    /// Nil if there is no descriptor, or if it is not that of a class.
    fileprivate init?(_ descriptor: UnsafeRawPointer?) {
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

    /// Whether the class is, or inherits from, one of some.
    func inherits(from bases: [ClassDescriptor]) -> Bool {
        bases.contains(self) || superclass?.inherits(from: bases) == true
    }

    /// The superclass, whatever its generic arguments are; nil for a root class.
    ///
    /// The mangled name of the superclass begins with a reference to its descriptor: a byte for the kind of reference,
    /// 1 for a direct one and 2 for one through a pointer, then a relative pointer that need not be aligned. Behind it
    /// the name ends, or the generic arguments follow, which begin with a "y". The compiler writes no other names for
    /// classes that are declared in Swift, so that what looks different is no model.
    private var superclass: ClassDescriptor? {
        guard let name = address.relative(20) else { return nil }
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
        guard let function = address.relative(12) else { return nil }
        typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
        guard let metadata = unsafeBitCast(function, to: Accessor.self)(0) else { return nil }
        return unsafeBitCast(metadata, to: Any.Type.self)
    }
}

/// The classes of the process that name a protocol, by their descriptors; also those that do so under a condition, and
/// without what code registers with the runtime that is in no image, as an interpreter does.
struct Conformers {
    private let target: UnsafeRawPointer?
    private var named: [ClassDescriptor] = []
    /// How many images had been searched.
    private var images = 0

    /// Those of a protocol, given as the type of its values.
    ///
    /// The metadata of such a type has its kind, 0x303; flags, of which bit 30 says that a superclass follows; the
    /// number of protocols; and, behind the superclass, a pointer to the descriptor of each.
    init(of existential: Any.Type) {
        let metadata = unsafeBitCast(existential, to: UnsafeRawPointer.self)
        let flags = metadata.load(fromByteOffset: 8, as: UInt32.self)
        let isOne = metadata.load(as: UInt.self) == 0x303 && metadata.load(fromByteOffset: 12, as: UInt32.self) == 1
        target = isOne ? metadata.load(fromByteOffset: flags & 1 << 30 == 0 ? 16 : 24, as: UnsafeRawPointer?.self) : nil
    }

    /// False if neither the class nor one that it inherits from names the protocol. Searches again when there are other
    /// images.
    mutating func mayInclude(_ type: AnyClass) -> Bool {
        guard let target else { return true }
        let count = ImageRecords.imageCount
        if count != images {
            named = Self.search(target)
            images = count
        }
        return !named.isEmpty && ClassDescriptor(of: type).inherits(from: named)
    }

    /// A conformance descriptor begins with relative pointers to the protocol, whose lowest bit says that it leads
    /// through a pointer, and to the type, then to the witnesses; bits 3 to 5 of the flags behind them say what kind of
    /// reference that to the type is: 0 a direct one to a descriptor, 1 one through a pointer.
    private static func search(_ target: UnsafeRawPointer) -> [ClassDescriptor] {
        var found: [ClassDescriptor] = []
        ImageRecords.forEach(.conformances) { record in
            guard let conformance = record.relative(0), conformance.protocolDescriptor == target,
                let type = conformance.relative(4)
            else { return }
            let kind = conformance.load(fromByteOffset: 12, as: UInt32.self) >> 3 & 7
            let descriptor = kind == 0 ? type : kind == 1 ? type.load(as: UnsafeRawPointer?.self) : nil
            if let descriptor = ClassDescriptor(descriptor) { found.append(descriptor) }
        }
        return found
    }
}

extension UnsafeRawPointer {
    /// Follows the relative pointer at an offset; nil for none.
    fileprivate func relative(_ offset: Int) -> UnsafeRawPointer? {
        let value = load(fromByteOffset: offset, as: Int32.self)
        return value == 0 ? nil : self + offset + Int(value)
    }

    /// The protocol of the conformance descriptor at this address.
    fileprivate var protocolDescriptor: UnsafeRawPointer? {
        let value = load(as: Int32.self), place = self + Int(value & ~1)
        return value & 1 == 0 ? place : place.load(as: UnsafeRawPointer?.self)
    }
}
