// SPDX-License-Identifier: MIT
// ProjectedProperties.swift -- the properties of a projection class, and what each of them reads.

import Foundation

/// The properties of a projection class. Found once for each class.
final class ProjectedProperties: @unchecked Sendable {  // nothing changes after init
    /// A property of a projection.
    struct One {
        /// Its name.
        let label: String
        /// From the object to its value.
        let path: AnyKeyPath
        /// The names of the properties of the object that it reads, joined by dots.
        let origin: String

        /// The value in a projection.
        func read(_ projection: any ProjectionObservable) -> Any? {
            projection.rootObject[keyPath: path].flatMap(UntypedValue.content)
        }
    }

    /// In the order of declaration, those of superclasses first.
    let all: [One]

    private init<P: ProjectionObservable>(_ type: P.Type) {
        let sample = type.make(KeyPathRecorder().prototype(P.Root.self))
        var mirrors: [Mirror] = [], next: Mirror? = Mirror(reflecting: sample)
        while let mirror = next {
            mirrors.insert(mirror, at: 0)
            next = mirror.superclassMirror
        }
        all = mirrors.flatMap(\.children).compactMap { child in
            guard let projected = child.value as? any AnyProjected, let name = child.label else { return nil }
            let label = name.hasPrefix("_") ? String(name.dropFirst()) : name
            return One(label: label, path: projected.path, origin: Self.origin(projected.path, P.Root.self))
        }
    }

    /// What a key path reads. One through `projectTo` goes on to a property of the elements.
    private static func origin(_ path: AnyKeyPath, _ root: ObjectBase.Type) -> String {
        let first = KeyPathNames.joined(readBy: path)
        let value = KeyPathRecorder().prototype(root)[keyPath: path]
        guard let projected = value as? any AnyProjectedCollection else { return first }
        return "\(first).\(KeyPathNames.joined(readBy: projected.elementPath))"
    }

    /// The property of a name.
    func named(_ label: String) -> One? { all.first { $0.label == label } }

    // MARK: Cache

    private static let lock = NSLock()
    nonisolated(unsafe) private static var known: [ObjectIdentifier: ProjectedProperties] = [:]  // guarded by `lock`

    /// The properties of a class. May be called from every thread.
    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectedProperties {
        let id = ObjectIdentifier(type)
        if let found = lock.withLock({ known[id] }) { return found }
        let properties = ProjectedProperties(type)  // outside of the lock: it runs initialisers of the program
        return lock.withLock {
            if let other = known[id] { return other }
            known[id] = properties
            return properties
        }
    }
}
