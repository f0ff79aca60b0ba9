// SPDX-License-Identifier: MIT
// ObjectBase.swift -- what objects and embedded objects have in common.
//
// A lane that is compiled into programs: the row of the engine is a field of every object, and its address is computed
// inline.

public import CStrata

/// What ``Object`` and ``EmbeddedObject`` have in common. Programs derive from one of these.
open class ObjectBase {
    // Invariant: `_liveRow` is the first field, at `ObjectBase.rowOffset`, because a pointer to it must lead back to
    // its object. It is used through `row` only, never by name.
    final var _liveRow = strata_row()
    /// What the object keeps alive: its session if it is live or was deleted, or the recorder of a prototype.
    final var _retained: AnyObject?
    final var _managed: Unmanaged<ManagedClass>?
    /// `_mode` in the lowest eight bits, `_generation` above.
    @usableFromInline @exclusivity(unchecked) final var _state: UInt64 = 0

    /// What an object is. An object begins as the first of them.
    enum Mode: UInt8 {
        /// Keeps its values itself.
        case unmanaged
        /// Shows a row of a realm.
        case live
        /// Was passed to `delete`.
        case deleted
        /// Records which of its properties are read, to find the name behind a key path.
        case recording
    }

    /// Creates an unmanaged object with the default values of its properties.
    public required init() {
        WrapperShape.of(type(of: self)).prepare(self)
    }

    /// Creates an unmanaged object with some values.
    ///
    /// - Parameter value: a dictionary by property names, an array in the order of the properties, or an object with
    ///   properties of the same names. Properties that are not mentioned keep their defaults; names that are no
    ///   properties are ignored. Stops the program if a value does not fit its property.
    public convenience init(value: Any) {
        self.init()
        do throws(StrataError) {
            try ObjectBuilder.fill(self, from: value)
        } catch {
            misuse("\(type(of: self))(value:) failed: \(error.message)")
        }
    }

    /// The name of the class, which is also that of its table.
    public final class func className() -> String {
        // The same as `String(describing:)`, which first searches for a description in the class and takes long.
        _realmObjectName() ?? _typeName(self, qualified: false)
    }

    /// The name of the table, if it differs from that of the class; otherwise nil. Override it so that files can still
    /// be read after the class was renamed.
    open class func _realmObjectName() -> String? { nil }

    /// Whether realms that are opened without `objectTypes` hold this class. Override to return false for classes
    /// that belong to particular files.
    open class func shouldIncludeInDefaultSchema() -> Bool { true }

    /// The name of the property that is the primary key; an alternative to `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }

    /// The names of further indexed properties; an alternative to `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }

    /// Indexes of several properties: for each, the names of two or more, the most significant first.
    ///
    /// ```swift
    /// class Visit: Object {
    ///     @Persisted var country: String
    ///     @Persisted var date: Date
    ///     override class func compoundIndexes() -> [[String]] { [["country", "date"]] }
    /// }
    ///
    /// visits.where { $0.country == "DE" && $0.date > lastWeek }.sorted(by: \.date)  // visits what it finds
    /// ```
    ///
    /// Such an index answers equality on its first properties, however many, and with it a range, a prefix or the order
    /// of the property that follows them. The properties are of the types `Bool`, integer, `Date`, `String`, `UUID`,
    /// ``ObjectId``, an enum or custom type stored as one of these, or links.
    open class func compoundIndexes() -> [[String]] { [] }

    /// The names of properties that are not to be stored, in classes that declare properties without ``Persisted``.
    /// Names that are no properties are harmless.
    open class func ignoredProperties() -> [String] { [] }

    /// The names under which properties are stored, by their names in the class. Programs use the names of the class
    /// everywhere; only the file has the others.
    open class func propertiesMapping() -> [String: String] { [:] }

    /// Class name and stored properties, one to a line; links and collections to a depth of five. Safe for deleted
    /// objects. Override it to say something else; where an object is shown within another one or a collection, it is
    /// shown as here.
    open var description: String { text(depth: ValueText.depth) }

    // MARK: Equality

    /// Whether another object is equal to this one, which is what `==` and sets and dictionaries of Swift go by.
    ///
    /// Live objects with a primary key are equal if they show the same object, and frozen ones if they show it as of the
    /// same version; all others only if they are identical. Override it together with ``hash`` to say something else.
    /// Lists, results and managed sets do not ask: they find an object by where it is stored.
    open func isEqual(_ object: Any?) -> Bool {
        guard let object = object as? ObjectBase else { return false }
        if self === object { return true }
        return hasEquals && isIdentical(to: object)
    }

    /// A number that is the same for all objects that are equal. See ``isEqual(_:)``.
    open var hash: Int {
        guard hasEquals else { return ObjectIdentifier(self).hashValue }
        var hasher = Hasher()
        hasher.combine(row.table)
        hasher.combine(row.key)
        return hasher.finalize()
    }

    /// Whether other instances may be equal to this one.
    private var hasEquals: Bool {
        guard _mode == .live, let managed else { return false }
        return managed.layout.primaryKey != nil || managed.isFrozen
    }
}

@available(
    *, unavailable,
    message: "a live object belongs to one thread, queue or actor; send a copy, a ThreadSafeReference or Frozen")
extension ObjectBase: Sendable {}

extension ObjectBase {
    /// Where the first field of an object is.
    @inlinable static var rowOffset: Int { 16 }

    final var _mode: Mode { unsafeBitCast(UInt8(truncatingIfNeeded: _state), to: Mode.self) }

    /// The generation of the session in which the object was made or added.
    final var _generation: UInt64 { _state >> 8 }

    final var _session: Session? { _mode == .recording ? nil : unsafeBitCast(_retained, to: Session?.self) }

    final var _recorder: KeyPathRecorder? {
        _mode == .recording ? unsafeBitCast(_retained, to: KeyPathRecorder?.self) : nil
    }

    final func become(_ mode: Mode, in generation: UInt64) { _state = Self.state(mode, generation) }

    /// What `_state` is for a mode and a generation.
    static func state(_ mode: Mode, _ generation: UInt64) -> UInt64 { generation << 8 | UInt64(mode.rawValue) }

    /// The row that the object shows.
    @inlinable
    final var row: _Row {
        (Unmanaged.passUnretained(self).toOpaque() + ObjectBase.rowOffset).assumingMemoryBound(to: strata_row.self)
    }

    /// The class in the realm of the object; nil of an object that never was in a realm.
    final var managed: ManagedClass? { _managed?._withUnsafeGuaranteedRef { $0 } }

    /// Whether the object is gone. For a live object this is true only if it can be told without looking for its row.
    final var isKnownGone: Bool {
        _managed?._withUnsafeGuaranteedRef { $0.isKnownGone(row.key, _generation) } ?? true
    }

    /// The layout of the class: as the realm of the object has it, if it is in one.
    final var layout: ClassLayout { managed?.layout ?? ClassLayout.of(type(of: self)) }

    /// True if the object was deleted, or its realm was invalidated.
    public final var isInvalidated: Bool {
        switch _mode {
        case .unmanaged, .recording: false
        case .deleted: true
        case .live: !row.isCurrent && !LiveRow.refresh(self)
        }
    }

    /// Whether it shows one version for ever; see ``ThreadConfined/freeze()``.
    public final var isFrozen: Bool { _mode == .live && managed?.isFrozen == true }

    /// What the class looks like to a realm.
    public final var objectSchema: ObjectSchema { layout.schema }

    /// True if both show the same object of the same realm, or are the same unmanaged object. A frozen object is the
    /// same as the live one, but not the same as one that was frozen at another version.
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        return self === other || showsRow(of: other) { $0.sharesObjects(with: $1) }
    }

    /// Whether both are one instance, or show the same row in the same version.
    final func isIdentical(to other: ObjectBase) -> Bool {
        self === other || showsRow(of: other) { $0.isSame(as: $1) }
    }

    private func showsRow(of other: ObjectBase, where fit: (Session, Session) -> Bool) -> Bool {
        guard _mode == .live, other._mode == .live, let session = _session, let theirs = other._session,
            fit(session, theirs)
        else { return false }
        return row.table == other.row.table && row.key == other.row.key
            && !isInvalidated && !other.isInvalidated
    }
}

extension ObjectBase: Hashable, _ObjectElement {
    /// Whether `left.isEqual(right)`.
    public static func == (left: ObjectBase, right: ObjectBase) -> Bool { left.isEqual(right) }

    /// Hashes ``hash``.
    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
