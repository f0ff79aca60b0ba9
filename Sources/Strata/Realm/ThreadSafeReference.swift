// SPDX-License-Identifier: MIT
// ThreadSafeReference.swift -- passing objects and collections to other threads, queues and actors.

import Synchronization

/// What belongs to a thread, a queue or an actor and can be passed to another by a ``ThreadSafeReference``: objects,
/// collections, results and linking objects.
public protocol ThreadConfined: _Freezable {
    /// The realm that it belongs to; nil if it is unmanaged.
    var realm: Realm? { get }
    /// Whether it is gone, or its realm was invalidated.
    var isInvalidated: Bool { get }
    /// Whether it is frozen.
    var isFrozen: Bool { get }
    /// The same for ever, and for every thread.
    func freeze() -> Self
    /// The live one in a realm of the caller; nil if it was deleted.
    func thaw() -> Self?
    /// Not for use by programs.
    var _crossing: _Crossing? { get }
    /// Not for use by programs.
    static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self?
}

/// Something without its session. Not for use by programs.
public struct _Crossing: Sendable {
    let crossing: Crossing

    init?(_ crossing: Crossing?) {
        guard let crossing else { return nil }
        self.crossing = crossing
    }
}

/// An object, a collection or results on their way to another thread, queue or actor.
///
/// ```swift
/// let reference = ThreadSafeReference(to: realm.objects(Person.self)[0])
/// Thread.detachNewThread {
///     let realm = try! Realm()
///     guard let person = realm.resolve(reference) else { return }  // deleted meanwhile
///     try! realm.write { person.age += 1 }
/// }
/// ```
///
/// It is resolved once. It holds no version of the file: what was deleted before it is resolved is nil.
///
/// Thread: any.
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
    private let crossing: _Crossing
    private let resolved = Atomic(false)

    /// Makes a reference. Stops the program if the object or collection is unmanaged, or gone.
    public init(to confined: Confined) {
        guard confined.realm != nil || confined.isInvalidated else {
            misuse("a ThreadSafeReference to an unmanaged \(Confined.self) cannot be made; add it to a realm first")
        }
        guard let crossing = confined._crossing else {
            misuse("a ThreadSafeReference to a \(Confined.self) that is gone cannot be made; check isInvalidated first")
        }
        self.crossing = crossing
    }

    /// Whether it was resolved. Then it cannot be resolved again.
    public var isInvalidated: Bool { resolved.load(ordering: .acquiring) }

    fileprivate func resolve(in realm: Realm) -> Confined? {
        if resolved.exchange(true, ordering: .acquiringAndReleasing) {
            misuse("a ThreadSafeReference to a \(Confined.self) is resolved twice; make one for each use")
        }
        guard crossing.crossing.canEnd(in: realm.session) else { return nil }
        return Confined._crossed(crossing, into: realm)
    }
}

extension Realm {
    /// The object or collection of a reference in this realm, which moves on to the version that the reference was made
    /// at, if it shows an older one. While an observer is told of changes, the realm stays where it is.
    ///
    /// - Returns: nil if the object was deleted meanwhile, belongs to another file, or is not there yet in the version
    ///   of which an observer is told.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        session.checkThread()
        return reference.resolve(in: self)
    }
}

// MARK: What can be passed

extension ObjectBase: ThreadConfined {
    public final var _crossing: _Crossing? { _Crossing(crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.object(in: realm.session, as: self)
    }
}

extension List: ThreadConfined {
    public var _crossing: _Crossing? { _Crossing(live?.crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.collection(in: realm.session).map { Self($0) }
    }
}

extension MutableSet: ThreadConfined {
    public var _crossing: _Crossing? { _Crossing(live?.crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.collection(in: realm.session).map { Self($0) }
    }
}

extension Map: ThreadConfined {
    public var _crossing: _Crossing? { _Crossing(live?.crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.collection(in: realm.session).map { Self($0) }
    }
}

extension LinkingObjects: ThreadConfined {
    public var _crossing: _Crossing? { isInvalidated ? nil : _Crossing(backlinks?.crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.links(in: realm.session).map { Self($0) }
    }
}

extension Results: ThreadConfined {
    public var _crossing: _Crossing? { _Crossing(findsObjects ? query.crossing : values.crossing) }

    public static func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        crossing.crossing.query(in: realm.session).map { Self($0) }
            ?? crossing.crossing.values(in: realm.session).map { Self($0) }
    }
}

// MARK: The wrapper

/// A variable or parameter whose object or collection can be used from every thread, queue and actor.
///
/// ```swift
/// @ThreadSafe var person = realm.objects(Person.self).first
/// DispatchQueue.global().async { [person = $person] in
///     guard let person = person.wrappedValue else { return }  // of a realm of this thread; nil if it was deleted
///     print(person.name)
/// }
/// ```
///
/// In the language mode of Swift 6 a closure that is passed on captures the wrapper, as above, because it may not
/// capture variables. In that of Swift 5 it uses the variable.
///
/// Reading it gives the object in the realm of the queue or actor on which it is read, if one is open there. Otherwise
/// the object is of a realm of the thread, which is opened if it is not open there; a task must not use such an object
/// behind an `await`. Setting it is possible on every thread.
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
    private struct Content {
        let crossing: _Crossing
        let configuration: Realm.Configuration
    }
    private let content: Mutex<Content?>

    /// A variable that is nil.
    public init() { content = Mutex(nil) }

    /// Stops the program if the value is unmanaged.
    public init(wrappedValue: Confined?) { content = Mutex(Self.content(of: wrappedValue)) }

    /// The argument of a parameter, which is wrapped before it is passed on: an actor's method
    /// `func rename(@ThreadSafe person: Person?)` is called by `rename(person: person)`, or by
    /// `rename($person: $variable)`.
    public init(projectedValue: ThreadSafe) { content = Mutex(projectedValue.content.withLock { $0 }) }

    /// Itself, which can be passed to every thread.
    public var projectedValue: ThreadSafe { self }

    /// The object or collection in a realm of the caller; nil if it is nil, or was deleted. Stops the program
    /// if the realm cannot be opened, or an unmanaged value is set.
    public var wrappedValue: Confined? {
        get {
            guard let content = content.withLock({ $0 }) else { return nil }
            do {
                let domain = SessionCache.domainOfCaller(content.configuration)
                let session = try SessionCache.session(content.configuration, for: domain, mayBeBehind: true)
                let realm = Realm(session, content.configuration)
                guard content.crossing.crossing.canEnd(in: realm.session) else { return nil }
                return Confined._crossed(content.crossing, into: realm)
            } catch {
                misuse(
                    "a @ThreadSafe \(Confined.self) is read on a thread on which its realm cannot be opened: \(error)")
            }
        }
        set {
            let new = Self.content(of: newValue)
            content.withLock { $0 = new }
        }
    }

    private static func content(of value: Confined?) -> Content? {
        guard let value else { return nil }
        if value.isInvalidated { return nil }
        guard let realm = value.realm, let crossing = value._crossing else {
            misuse("a @ThreadSafe variable is set to an unmanaged \(Confined.self); add it to a realm first")
        }
        return Content(crossing: crossing, configuration: realm.configuration)
    }
}
