// SPDX-License-Identifier: MIT
// SchemaDiscovery.swift -- finds all model classes and projections of the process.
//
// A class is a model if its chain of superclass references reaches the descriptor of ObjectBase, and a projection if it
// reaches that of Projection. Classes that are private, or local to a function, are found like all others; generic
// ones, and those nested in something generic, are not, because they are no single class, but classes derived from
// them may be. Nothing needs to be registered. Each of the two searches is made once: classes of images that are loaded
// after a realm was opened need `objectTypes`.
//
// The chain is followed from descriptor to descriptor, without the arguments of generic classes: asking the runtime
// for a class makes it, and one that is generic cannot be made without its arguments. Only models and projections are
// asked for.

import Foundation

/// The model classes and the projections of the process.
enum SchemaDiscovery {
    private static let lock = NSLock()
    // Both are guarded by `lock`.
    nonisolated(unsafe) private static var classes: [ObjectBase.Type]?
    nonisolated(unsafe) private static var shown: [any ProjectionObservable.Type]?
    private static let validatedLock = NSLock()
    nonisolated(unsafe) private static var validated = Conformers(of: (any ValidatedObject).self)  // has its own lock

    /// All subclasses of `Object` in the images loaded so far that want to be in the default schema.
    static func defaultClasses() -> [ObjectBase.Type] {
        if let classes = lock.withLock({ classes }) { return classes }
        // Without the lock, because classes of the program are asked.
        let found = search(for: ObjectBase.self) { $0 as? ObjectBase.Type }
            .filter { !$0.isOfTheLibrary && $0.shouldIncludeInDefaultSchema() }
        return lock.withLock {
            if let classes { return classes }
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

    /// Whether a class, or one that it inherits from, is a ``ValidatedObject``.
    ///
    /// The runtime searches all records of the process for each class that it is asked about; it is asked only about
    /// those that may be one.
    static func isValidated(_ type: ObjectBase.Type) -> Bool {
        validatedLock.withLock { validated.mayInclude(type) } && type is any ValidatedObject.Type
    }

    /// The classes that inherit from one, in the order of their names.
    private static func search<Found>(for base: AnyClass, _ cast: (Any.Type) -> Found?) -> [Found] {
        let base = ClassDescriptor(of: base), bases = [base]
        var found: [(name: String, type: Found)] = []
        ImageRecords.forEach(.types) { record in
            guard let descriptor = ClassDescriptor(typeRecord: record), !descriptor.isGeneric, descriptor != base,
                descriptor.inherits(from: bases), let type = descriptor.type(), let one = cast(type)
            else { return }
            found.append((String(reflecting: type), one))
        }
        return found.sorted { $0.name < $1.name }.map(\.type)
    }
}

extension ObjectBase {
    /// Whether this is a base class of models and no model.
    class var isOfTheLibrary: Bool { self == Object.self || self == EmbeddedObject.self || self == DynamicObject.self }
}
