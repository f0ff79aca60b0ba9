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

    /// The property names of a key path; stops the program if it does not lead to a persisted property.
    static func of<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> [String] { entry(keyPath).names }

    /// The property names of a key path as a predicate writes them; stops the program as above.
    static func text<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String { entry(keyPath).text }

    /// The property names of a key path joined by dots; stops the program as above.
    static func joined<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        let names = of(keyPath)
        return names.count == 1 ? names[0] : names.joined(separator: ".")
    }

    private static func entry<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> Entry {
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
    private static func find<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>, _ address: ObjectIdentifier) -> Entry {
        // Traced outside of the lock, because initialisers of models are code of the program.
        let entry = lock.withLock { known[keyPath] } ?? trace(keyPath)
        lock.withLock {
            known[keyPath] = entry
            if byAddress.count < addressLimit {
                byAddress[address] = Entry(keyPath: keyPath, names: entry.names, text: entry.text)
            }
        }
        return entry
    }

    private static func trace<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> Entry {
        let tracer = Tracer()
        let prototype = unsafeDowncast(tracer.prototype(Root.self), to: Root.self)
        let value = prototype[keyPath: keyPath]
        var names = tracer.path
        if names.isEmpty, let name = unmarked(value, in: prototype) { names = [name] }
        guard leads(names, from: Root.self) else {
            misuse("\(keyPath) does not lead to one persisted property of \(Root.self); it reads \(names)")
        }
        return Entry(
            keyPath: keyPath, names: names,
            text: names.map(PredicateWords.escaped).joined(separator: "."))
    }

    /// The property without ``Persisted`` whose field holds a collection: such a field is read without notice.
    private static func unmarked(_ value: Any, in prototype: ObjectBase) -> String? {
        guard let value = value as? any PersistedCollection else { return nil }
        return prototype.layout.slots.first { slot in
            guard !slot.access._isWrapper, slot.property.isCollection,
                let field = slot.access._plain(slot.wrapper(in: prototype)) as? any PersistedCollection
            else { return false }
            return field === value
        }?.property.name
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
