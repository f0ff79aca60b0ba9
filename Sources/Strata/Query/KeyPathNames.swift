// SPDX-License-Identifier: MIT
// KeyPathNames.swift -- the names of the properties that a key path leads through.

import Foundation

/// The names behind key paths.
///
/// The compiler makes one object for each key path that is written down, so that names are mostly found by the address
/// of the key path. Key paths that are put together while the program runs are found by what they are.
enum KeyPathNames {
    /// What is known of a key path. Keeps it, so that its address stays its own.
    private struct Entry {
        let keyPath: AnyKeyPath
        let names: [String]
        /// The names as a predicate writes them.
        let text: String
    }

    private static let lock = NSLock()
    nonisolated(unsafe) private static var byAddress: [ObjectIdentifier: Entry] = [:]  // guarded by `lock`
    nonisolated(unsafe) private static var known: [AnyKeyPath: Entry] = [:]  // guarded by `lock`
    private static let addressLimit = 10_000

    /// The property names of a key path from an object; stops the program if it does not lead to a persisted property.
    static func of(_ keyPath: AnyKeyPath) -> [String] { entry(keyPath).names }

    /// The property names of a key path as a predicate writes them; stops the program as above.
    static func text(of keyPath: AnyKeyPath) -> String { entry(keyPath).text }

    /// The property names of a key path joined by dots; stops the program as above.
    static func joined(_ keyPath: AnyKeyPath) -> String {
        let names = of(keyPath)
        return names.count == 1 ? names[0] : names.joined(separator: ".")
    }

    /// The names of the property that a key path reads, which may compute something from it, joined by dots; stops the
    /// program if it reads none or many.
    static func joined(readBy keyPath: AnyKeyPath) -> String {
        (lock.withLock { known[keyPath] } ?? trace(keyPath)).names.joined(separator: ".")
    }

    private static func entry(_ keyPath: AnyKeyPath) -> Entry {
        let address = ObjectIdentifier(keyPath)
        lock.lock()
        if let entry = byAddress[address] {
            lock.unlock()
            return entry
        }
        lock.unlock()
        return find(keyPath, address)
    }

    @inline(never)
    private static func find(_ keyPath: AnyKeyPath, _ address: ObjectIdentifier) -> Entry {
        // Traced outside of the lock, because initialisers of models are code of the program.
        let entry = lock.withLock { known[keyPath] } ?? checked(trace(keyPath))
        lock.withLock {
            known[keyPath] = entry
            if byAddress.count < addressLimit {
                byAddress[address] = Entry(keyPath: keyPath, names: entry.names, text: entry.text)
            }
        }
        return entry
    }

    /// Stops the program if the key path gives something else than the property it reads.
    private static func checked(_ entry: Entry) -> Entry {
        let type = type(of: entry.keyPath)
        guard let root = type.rootType as? ObjectBase.Type else { return entry }
        if KeyPathProbe(entry.names, from: root).isGiven(by: entry.keyPath) { return entry }
        let name = entry.names.joined(separator: ".")
        misuse(
            "a property of \(root), of type \(type.valueType), is computed from '\(name)'; queries take stored "
                + "properties only; filter the results in Swift, or store it")
    }

    private static func trace(_ keyPath: AnyKeyPath) -> Entry {
        guard let root = type(of: keyPath).rootType as? ObjectBase.Type else {
            let root = type(of: keyPath).rootType
            misuse("a key path from \(root) does not begin at an object, so it leads to no persisted property")
        }
        let tracer = Tracer()
        let prototype = tracer.prototype(root)
        tracer.end(at: prototype[keyPath: keyPath] as Any)
        let names = upToCustomValue(tracer.path, root, type(of: keyPath).valueType)
        guard leads(names, from: root) else {
            misuse(
                "a key path to \(type(of: keyPath).valueType) does not lead to one persisted property of \(root); "
                    + "it reads \(names)")
        }
        return Entry(
            keyPath: keyPath, names: names, text: names.map(PredicateWords.escaped).joined(separator: "."))
    }

    /// The names without those of an embedded object that a value of a custom type was made of.
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

    private static func leads(_ names: [String], from root: ObjectBase.Type) -> Bool {
        var type: ObjectBase.Type? = root
        for name in names {
            guard let current = type else { return false }
            let layout = ClassLayout.of(current)
            guard let index = layout.index(of: name) else { return false }
            type = layout.slots[index].target
        }
        return !names.isEmpty
    }
}
