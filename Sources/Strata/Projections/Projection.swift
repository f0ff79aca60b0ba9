// SPDX-License-Identifier: MIT
// Projection.swift -- a class that shows some properties of an object under names of its own.

/// What has the properties of an object under names of its own: ``Projection``, for constraints of generic code.
public protocol ProjectionObservable: AnyObject, ThreadConfined, _ObjectElement {
    /// The class of the objects that are projected.
    associatedtype Root: ObjectBase
    /// The object that is projected.
    var rootObject: Root { get }
    /// Projects an object, managed or not.
    init(projecting object: Root)
}

/// A view of an object that has only the properties which a part of a program needs, under names of its own.
///
/// ```swift
/// class PersonProjection: Projection<Person> {
///     @Projected(\Person.name) var title
///     @Projected(\Person.dog?.breed) var breed
///     @Projected(\Person.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
/// }
///
/// for person in realm.objects(PersonProjection.self).where({ $0.title == "Ann" }) { print(person.breed ?? "") }
/// ```
///
/// Nothing is copied: reading a property reads the object through the key path, and writing, which needs a write
/// transaction if the object is managed, writes through it. `where` takes the names of the projection and those of the
/// class, typed key paths take those of the projection, and names as text are those of the class. Two projections of
/// one type are equal if they project the same object.
///
/// A key path that reads no persisted property is a mistake in the schema: opening a realm with the class of the
/// objects throws an error that names all of them, of all projections of the program. A generic projection stops the program
/// when it is first asked for. So does writing a property whose key path cannot be written through, such as one behind
/// an Optional.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// The object that is projected.
    public let rootObject: Root

    /// Projects an object, managed or not.
    public required init(projecting object: Root) { rootObject = object }

    /// The realm of the object; nil if it is unmanaged or was deleted.
    public final var realm: Realm? { rootObject.realm }
    /// Whether the object was deleted, or its realm was invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether the object is frozen.
    public final var isFrozen: Bool { rootObject.isFrozen }

    /// Whether both project the same object.
    public final func isSameObject(as other: Projection?) -> Bool { rootObject.isSameObject(as: other?.rootObject) }

    /// True for projections of one type that project the same object.
    public static func == (left: Projection, right: Projection) -> Bool {
        type(of: left) == type(of: right)
            && left.rootObject.isIdentical(to: right.rootObject)
    }

    /// Hashes which object it is.
    public final func hash(into hasher: inout Hasher) {
        if rootObject._mode == .live {
            hasher.combine(rootObject.row.key)
        } else {
            hasher.combine(ObjectIdentifier(rootObject))
        }
    }

    // MARK: Not for use by programs

    public final var _crossing: _Crossing? { rootObject._crossing }

    public class func _crossed(_ crossing: _Crossing, into realm: Realm) -> Self? {
        Root._crossed(crossing, into: realm).map { self.init(projecting: $0) }
    }

    public class func _element(of object: AnyObject) -> Self { self.init(projecting: Root._element(of: object)) }
    public class func _value(_ stored: _StoredValue) -> Self? { Root._value(stored).map { self.init(projecting: $0) } }
    public class func _read(_ row: _Row, _ column: UInt32) -> Self { self.init(projecting: Root._read(row, column)) }
    public class func _default() -> Self { self.init(projecting: Root()) }
}

extension Projection: _Persistable {
    public typealias PersistedType = Root
    public class var _shape: _PropertyShape { Root._shape }
    public class func _write(_ value: Projection, _ row: _Row, _ column: UInt32) {
        Root._write(value.rootObject, row, column)
    }
    public class func _stored(_ value: Projection) -> _StoredValue { Root._stored(value.rootObject) }
}

extension Projection: CustomStringConvertible {
    /// The properties with their values, for people.
    public var description: String {
        let properties = ProjectedProperties.of(type(of: self)).all
        let lines = properties.map { "\t\($0.label)(\($0.origin)) = \($0.read(self).map { "\($0)" } ?? "nil");\n" }
        return "\(type(of: self))<\(Root.self)> {\n\(lines.joined())}"
    }
}

/// A property of a ``Projection``: the value of a property of its object, or something computed from it.
///
/// ```swift
/// class NameOnly: Projection<Person> {
///     @Projected(\Person.name) var title
/// }
/// ```
@propertyWrapper
public struct Projected<Root: ObjectBase, Value>: AnyProjected {
    fileprivate let keyPath: KeyPath<Root, Value>

    /// Shows what a key path from the object leads to.
    public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

    var path: AnyKeyPath { keyPath }

    @available(*, unavailable, message: "@Projected is for properties of subclasses of Projection")
    public var wrappedValue: Value {
        get { misuse("@Projected is for properties of subclasses of Projection") }
        // swift-format-ignore
        set { misuse("@Projected is for properties of subclasses of Projection") }
    }

    public static subscript<EnclosingSelf: Projection<Root>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storageKeyPath].keyPath] }
        set {
            let keyPath = projection[keyPath: storageKeyPath].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                let property = ProjectedProperties.of(type(of: projection)).all.first { $0.path == keyPath }
                misuse(
                    "\(type(of: projection)).\(property?.label ?? "") cannot be written: its key path to "
                        + "\(Root.self).\(property?.origin ?? "") can only be read; write the object")
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// A `Projected` of whatever type.
protocol AnyProjected {
    var path: AnyKeyPath { get }
}

extension ProjectionObservable {
    static var rootType: ObjectBase.Type { Root.self }

    /// A projection of an object of the root class.
    static func make(_ object: ObjectBase) -> Self {
        guard let root = object as? Root else {
            misuse("\(Self.self) projects a \(Root.self), not a \(type(of: object))")
        }
        return Self(projecting: root)
    }

    /// Whether a key path from a projection leads to its object.
    static func isRootObject(_ keyPath: AnyKeyPath) -> Bool {
        let root = KeyPathRecorder().prototype(Root.self), start: Any = make(root)
        return KeyPathRecorder.read(keyPath, of: start) as? ObjectBase === root
    }
}

extension Realm {
    /// All objects of a class, as a projection shows them.
    public func objects<Element: ProjectionObservable>(_ type: Element.Type) -> Results<Element>
    where Element.Root: Object {
        session.checkThread()
        _ = ProjectedProperties.of(type)  // a key path that leads nowhere is noticed here
        return Results(LiveQuery(session.classes.of(Element.Root.self)))
    }
}

extension Query where T: ProjectionObservable {
    /// What a property of the projection shows.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> { self.projected(member) }

    /// A property of the class that is projected.
    @_disfavoredOverload
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T.Root, V>) -> Query<V> { self.member(member) }

    private func projected<V>(_ member: KeyPath<T, V>) -> Query<V> {
        let path = path
        return Query<V>(path.isRoot ? KeyPathNames.node(member) : .path(path.appending(KeyPathNames.component(member))))
    }
}
