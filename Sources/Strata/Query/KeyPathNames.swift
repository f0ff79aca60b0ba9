// SPDX-License-Identifier: MIT
// KeyPathNames.swift -- the names of the properties that a key path leads through.

import Foundation

/// The names behind key paths.
///
/// The compiler makes one object for each key path in the source, so that mostly the address of a key path is enough to
/// find its names. Key paths that are combined at run time are found by comparison.
enum KeyPathNames {
    /// What is known about a key path. Never freed, so that the address of the key path is not used again.
    private final class Entry {
        let keyPath: AnyKeyPath
        let names: PropertyNames
        /// The path that consists of these names.
        let node: QueryNode

        init(_ keyPath: AnyKeyPath, _ names: PropertyNames) {
            self.keyPath = keyPath
            self.names = names
            node = .path(QueryPath([.names(names)]))
        }
    }

    private static let lock = NSLock()
    // All are guarded by `lock`.
    nonisolated(unsafe) private static var known: [AnyKeyPath: Entry] = [:]
    nonisolated(unsafe) private static var byAddress: [ObjectIdentifier: Entry] = [:]
    private static let addressLimit = 10_000
    /// For each pattern of the low bits of an address, the entry that was last found.
    nonisolated(unsafe) private static let recent: UnsafeMutableBufferPointer<Unmanaged<Entry>?> = {
        let entries = UnsafeMutableBufferPointer<Unmanaged<Entry>?>.allocate(capacity: 256)
        entries.initialize(repeating: nil)
        return entries
    }()

    /// The property names of a key path from an object; stops the program if it does not lead to a persisted property.
    static func of(_ keyPath: AnyKeyPath) -> [String] { names(keyPath).names }

    /// The same, with the slots of the properties.
    static func names(_ keyPath: AnyKeyPath) -> PropertyNames { entry(keyPath).names }

    /// The names of a key path as a component of a path.
    static func component(_ keyPath: AnyKeyPath) -> QueryPath.Component { .names(entry(keyPath).names) }

    /// The names of a key path as a path from the object that is tested.
    static func node(_ keyPath: AnyKeyPath) -> QueryNode { entry(keyPath).node }

    /// The property names of a key path joined by dots; stops the program as above.
    static func joined(_ keyPath: AnyKeyPath) -> String {
        let names = of(keyPath)
        return names.count == 1 ? names[0] : names.joined(separator: ".")
    }

    /// The names of the property that a key path reads, which may compute something from it, joined by dots; stops the
    /// program if it reads none or many.
    static func joined(readBy keyPath: AnyKeyPath) -> String {
        (lock.withLock { known[keyPath]?.names } ?? record(keyPath)).names.joined(separator: ".")
    }

    private static func entry(_ keyPath: AnyKeyPath) -> Entry {
        let slot = Int(bitPattern: ObjectIdentifier(keyPath)) >> 4 & 255
        lock.lock()
        if let entry = recent[slot]?._withUnsafeGuaranteedRef({ $0.keyPath === keyPath ? $0 : nil }) {
            lock.unlock()
            return entry
        }
        lock.unlock()
        return find(keyPath, slot)
    }

    @inline(never)
    private static func find(_ keyPath: AnyKeyPath, _ slot: Int) -> Entry {
        let address = ObjectIdentifier(keyPath)
        let alike = lock.withLock { byAddress[address] ?? known[keyPath] }
        // Recorded outside of the lock, because it runs initialisers of the program.
        let names = alike?.names ?? checked(record(keyPath), keyPath)
        let entry = alike?.keyPath === keyPath ? alike.unsafelyUnwrapped : Entry(keyPath, names)
        lock.withLock {
            if alike == nil { known[keyPath] = entry }
            if alike === entry || byAddress.count < addressLimit {
                byAddress[address] = entry
                recent[slot] = .passUnretained(entry)
            }
        }
        return entry
    }

    /// Stops the program if the key path returns something else than the property it reads.
    private static func checked(_ names: PropertyNames, _ keyPath: AnyKeyPath) -> PropertyNames {
        let type = type(of: keyPath)
        let root = names.root
        let projection = Swift.type(of: keyPath).rootType as? any ProjectionObservable.Type
        if KeyPathProbe(names.names, from: root, shownBy: projection).isGiven(by: keyPath) { return names }
        let name = names.names.joined(separator: ".")
        misuse(
            "a property of \(root), of type \(type.valueType), is computed from '\(name)'; queries take stored "
                + "properties only; filter the results in Swift, or store it")
    }

    /// Why a key path does not lead to one persisted property, which it may compute something from; nil if it does.
    static func mistake(readBy keyPath: AnyKeyPath) -> String? {
        if lock.withLock({ known[keyPath] }) != nil { return nil }
        guard case .failure(let mistake) = tryToRecord(keyPath) else { return nil }
        return mistake.text
    }

    /// A key path that does not lead to one persisted property.
    private struct Mistake: Error {
        let text: String
    }

    private static func record(_ keyPath: AnyKeyPath) -> PropertyNames {
        switch tryToRecord(keyPath) {
        case .success(let names): names
        case .failure(let mistake): misuse(mistake.text)
        }
    }

    private static func tryToRecord(_ keyPath: AnyKeyPath) -> Result<PropertyNames, Mistake> {
        let first = type(of: keyPath).rootType
        let projection = first as? any ProjectionObservable.Type
        guard let root = first as? ObjectBase.Type ?? projection?.rootType else {
            return .failure(Mistake(
                text: "a key path from \(first) does not begin at an object, so it leads to no persisted property"))
        }
        let recorder = KeyPathRecorder()
        let prototype = recorder.prototype(root), start: Any = projection?.make(prototype) ?? prototype
        recorder.end(at: KeyPathRecorder.read(keyPath, of: start) as Any)
        let names = upToCustomValue(recorder.path, root, type(of: keyPath).valueType)
        let result = PropertyNames(names, from: root)
        guard !names.isEmpty, result.slots.count == names.count else {
            return .failure(Mistake(
                text: "a key path to \(type(of: keyPath).valueType) does not lead to one persisted property of "
                    + "\(root); it reads \(names)" + advice(onKeyPathTo: type(of: keyPath).valueType, projection)))
        }
        return .success(result)
    }

    /// What to do about a key path of a projection that leads to its object.
    private static func advice(
        onKeyPathTo value: Any.Type, _ projection: (any ProjectionObservable.Type)?
    ) -> String {
        guard let projection, value == projection.rootType else { return "" }
        return "; leave rootObject out: where { } takes the names of \(value), too"
    }

    /// The names up to a value of a custom type. Behind it follow those of the embedded object of which the value was
    /// made.
    private static func upToCustomValue(_ names: [String], _ root: ObjectBase.Type, _ value: Any.Type) -> [String] {
        guard let custom = value as? any _Persistable.Type, MemberwiseEquality.applies(to: custom) else { return names }
        var type = root
        for (position, name) in names.enumerated() {
            let layout = ClassLayout.of(type)
            guard let slot = layout.index(of: name).map({ layout.slots[$0] }), let target = slot.target else { break }
            if (slot.access as? any TypedAccess.Type)?.valueType == value { return Array(names[...position]) }
            type = target
        }
        return names
    }
}
