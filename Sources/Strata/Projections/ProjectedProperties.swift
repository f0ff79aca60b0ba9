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

        /// Whether it reads a path, or goes on from its elements.
        func shows(_ path: String) -> Bool { origin == path || origin.hasPrefix(path + ".") }

        /// The value in a projection.
        func read(_ projection: any ProjectionObservable) -> Any? {
            projection.rootObject[keyPath: path].flatMap(UntypedValue.content)
        }
    }

    /// In the order of declaration, those of superclasses first.
    let all: [One]

    private init<P: ProjectionObservable>(_ type: P.Type) {
        all = Self.declared(type).map { label, path in
            One(label: label, path: path, origin: Self.origin(path, P.Root.self))
        }
    }

    /// The names and key paths that a class declares.
    private static func declared<P: ProjectionObservable>(_ type: P.Type) -> [(label: String, path: AnyKeyPath)] {
        let sample = type.make(KeyPathRecorder().prototype(P.Root.self))
        var mirrors: [Mirror] = [], next: Mirror? = Mirror(reflecting: sample)
        while let mirror = next {
            mirrors.insert(mirror, at: 0)
            next = mirror.superclassMirror
        }
        return mirrors.flatMap(\.children).compactMap { child in
            guard let projected = child.value as? any AnyProjected, let name = child.label else { return nil }
            return (name.hasPrefix("_") ? String(name.dropFirst()) : name, projected.path)
        }
    }

    /// What a key path reads. One through `projectTo` goes on to a property of the elements.
    private static func origin(_ path: AnyKeyPath, _ root: ObjectBase.Type) -> String {
        let first = KeyPathNames.joined(readBy: path)
        guard let element = elementPath(path, root) else { return first }
        return "\(first).\(KeyPathNames.joined(readBy: element))"
    }

    /// How a key path through `projectTo` goes on; nil if it is another one.
    private static func elementPath(_ path: AnyKeyPath, _ root: ObjectBase.Type) -> AnyKeyPath? {
        let read = KeyPathRecorder.read(path, of: KeyPathRecorder().prototype(root))
        return (read as? any AnyProjectedCollection)?.elementPath
    }

    /// The property of a name.
    func named(_ label: String) -> One? { all.first { $0.label == label } }

    // MARK: Key paths from projections

    /// The names of the properties that read what the key paths read, and the paths that none of them reads.
    func labels(_ keyPaths: [AnyKeyPath]) -> [String] {
        let read = keyPaths.map { KeyPathNames.joined(readBy: $0) }
        let labels = all.filter { one in read.contains { one.shows($0) } }.map(\.label)
        return labels + read.filter { path in !all.contains { $0.shows(path) } }
    }

    /// What the key paths read, as paths from the object.
    func origins(_ keyPaths: [AnyKeyPath]) -> [String] {
        keyPaths.flatMap { keyPath in
            let read = KeyPathNames.joined(readBy: keyPath), origins = all.filter { $0.shows(read) }.map(\.origin)
            return origins.isEmpty ? [read] : origins
        }
    }

    // MARK: Names that belong to the class

    /// What a name of projections is called in their class, for messages about a name that the class does not have;
    /// empty if none of its projections has it. Which projection was meant is not known where names are text.
    static func hint(_ label: String, _ root: ObjectBase.Type) -> String {
        let found = shown(root).flatMap { type, properties in
            properties.filter { $0.label == label }.map { (type: type, origin: $0.origin) }
        }
        guard let origin = found.first?.origin else { return "" }
        let types = found.filter { $0.origin == origin }.map(\.type).joined(separator: ", ")
        return "; \(label) of \(types) is \(origin) of \(root.className())"
    }

    /// The same for a message of the engine, which names the property.
    static func hint(behind message: String, _ root: ObjectBase.Type) -> String {
        let labels = shown(root).flatMap(\.properties).map(\.label)
        let missing = labels.first { message.contains("no property '\($0)' in \(root.className())") }
        return missing.map { hint($0, root) } ?? ""
    }

    /// The projections of a class by their names.
    private static func shown(_ root: ObjectBase.Type) -> [(type: String, properties: [One])] {
        SchemaDiscovery.projections().filter { $0.rootType == root }.map { ("\($0)", of($0).all) }
    }

    // MARK: Mistakes

    /// The mistakes in all projections of the process whose objects are of these classes.
    static func problems(of layouts: [ClassLayout]) -> [SchemaProblem] {
        let roots = Set(layouts.map { ObjectIdentifier($0.type) })
        return SchemaDiscovery.projections().filter { roots.contains(ObjectIdentifier($0.rootType)) }
            .flatMap { problems(of: $0) }
    }

    private static func problems<P: ProjectionObservable>(of type: P.Type) -> [SchemaProblem] {
        let id = ObjectIdentifier(type)
        if let found = lock.withLock({ knownProblems[id] }) { return found }
        let found = declared(type).compactMap { label, path in
            let element = KeyPathNames.mistake(readBy: path) == nil ? elementPath(path, P.Root.self) : nil
            return (KeyPathNames.mistake(readBy: path) ?? element.flatMap(KeyPathNames.mistake)).map { mistake in
                SchemaProblem(
                    P.Root.className(),
                    "\(type).\(label) shows nothing of \(P.Root.className()): \(mistake); mark what it reads with "
                        + "@Persisted, or drop \(label) from the projection")
            }
        }
        lock.withLock { knownProblems[id] = found }
        return found
    }

    // MARK: Cache

    private static let lock = NSLock()
    // Both are guarded by `lock`.
    nonisolated(unsafe) private static var known: [ObjectIdentifier: ProjectedProperties] = [:]
    nonisolated(unsafe) private static var knownProblems: [ObjectIdentifier: [SchemaProblem]] = [:]

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
