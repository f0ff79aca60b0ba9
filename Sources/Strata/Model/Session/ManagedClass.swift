// SPDX-License-Identifier: MIT
// ManagedClass.swift -- a class in one open realm: its table and columns, and making objects of it.

/// What kind of collection a property is.
struct CollectionKind {
    let isSet: Bool
    let isMap: Bool
    /// Whether the elements are values of any type, among which there may be lists and maps.
    let isAny: Bool

    init(_ property: Property) {
        isSet = property.isSet
        isMap = property.isMap
        isAny = property.type == .any
    }
}

/// A class in one open realm. Owned by the session.
final class ManagedClass {
    /// Where instances have the field of a property, which column it shows, and how to read it. These are plain bytes,
    /// for loops over all properties of many objects.
    struct Attachment {
        let field: FieldOffset
        let column: UInt32
        let access: UnmanagedValue
        let isCollection: Bool
        let isStored: Bool
    }

    let layout: ClassLayout
    let table: UInt32
    /// Column numbers, parallel to `layout.slots`. Linking objects have no column: for them it is the number of the
    /// slot.
    let columns: [UInt32]
    /// How many values a row is given: up to the last column of the class, or in a migration all.
    let columnCount: Int
    unowned(unsafe) let session: Session  // which owns this; checked references would make every retain slow
    /// The view of the session, for paths on which a retain would cost too much.
    var view: UnretainedView { liveView ?? session.view.unretained }
    private let liveView: UnretainedView?
    /// Whether the session is frozen.
    let isFrozen: Bool
    /// Parallel to `layout.slots`.
    private let kinds: [CollectionKind]
    /// The slots of properties that are not marked with ``Persisted``.
    private let unmarked: [Int]
    /// Parallel to `layout.slots`.
    let attachments: UnsafeMutableBufferPointer<Attachment>

    /// Classes that properties link to, parallel to `layout.slots`.
    private var targets: [Unmanaged<ManagedClass>?] = []
    /// For linking objects, the column at the other end. Parallel to `layout.slots`.
    private var originColumns: [UInt32] = []
    /// The slot of each column number; -1 for columns that the class does not know.
    private let slotOfColumn: [Int]

    /// The objects that were last found to link to an object. Every use of a property of linking objects makes a new
    /// query, so that the query cannot cache them.
    private var lastLinks = Cached<(column: UInt32, key: UInt64, keys: EngineKeys)>()

    /// The key of the first object that this write transaction created; 0 for none.
    @exclusivity(unchecked) var firstCreated: UInt64 = 0
    @exclusivity(unchecked) private var rolledBack = RolledBackWrites()

    init(_ layout: ClassLayout, table: UInt32, columns: [UInt32], columnCount: Int, session: Session) {
        self.layout = layout
        isDynamic = layout.type == DynamicObject.self
        isEmbedded = layout.schema.isEmbedded
        isValidated = layout.isValidated
        self.table = table
        self.columns = columns
        self.columnCount = columnCount
        self.session = session
        isFrozen = session.isFrozen
        liveView = isFrozen ? nil : session.view.unretained
        var slotOfColumn = [Int](repeating: -1, count: columnCount)
        for index in 0..<layout.storedCount { slotOfColumn[Int(columns[index])] = index }
        self.slotOfColumn = slotOfColumn
        attachments = .allocate(capacity: columns.count)
        var unmarked: [Int] = []
        for (index, slot) in layout.slots.enumerated() {
            attachments.initializeElement(at: index, to: Attachment(
                field: FieldOffset(slot.offset, slot.access), column: columns[index],
                access: slot.unmanaged, isCollection: slot.property.isCollection,
                isStored: index < layout.storedCount))
            if slot.offset >= 0 && !slot.access._isWrapper { unmarked.append(index) }
        }
        self.unmarked = unmarked
        kinds = layout.slots.map { CollectionKind($0.property) }
    }

    deinit { attachments.deallocate() }

    /// Whether the objects have no fields for their properties.
    private let isDynamic: Bool

    /// The name of the class.
    var name: String { layout.schema.className }

    /// Whether the objects are embedded in others.
    let isEmbedded: Bool

    /// Whether the objects are asked before they are stored and deleted. See `Validation`.
    let isValidated: Bool

    /// The columns that hold embedded objects.
    private(set) var embeddedColumns: [(column: UInt32, target: ManagedClass, isCollection: Bool)] = []

    /// Whether objects of other classes may be embedded in the objects.
    var ownsObjects: Bool { !embeddedColumns.isEmpty }

    /// Whether a property holds a single value of any type, which may link to objects of every class.
    func isLinkOfAnyClass(_ slot: Int) -> Bool {
        let property = layout.slots[slot].property
        return property.type == .any && !property.isCollection
    }

    /// Finds the classes that properties link to; called when the session has made all classes.
    func resolveTargets() {
        let targets = layout.slots.map { slot -> ManagedClass? in
            isDynamic ? dynamicTarget(of: slot.property) : slot.target.map { session.classes.of($0) }
        }
        self.targets = targets.map { $0.map { .passUnretained($0) } }
        originColumns = zip(layout.slots, targets).map { slot, target in
            slot.property.linkOriginPropertyName.flatMap { target?.column(named: $0) } ?? 0
        }
        for index in 0..<layout.storedCount {
            guard let target = targets[index], target.isEmbedded else { continue }
            embeddedColumns.append((columns[index], target, layout.slots[index].property.isCollection))
        }
    }

    /// The class that a property of an object without fields links to: links lead to objects of a class of the program,
    /// where there is one; collections and linking objects hold objects without fields.
    private func dynamicTarget(of property: Property) -> ManagedClass? {
        guard let name = property.objectClassName else { return nil }
        let classes = session.classes
        if !session.isMigration, property.type == .object, !property.isCollection, let known = classes.known(name) {
            return known
        }
        return classes.dynamic(name)
    }

    /// The column whose links a slot of linking objects follows backwards.
    func originColumn(ofSlot slot: Int) -> UInt32 { originColumns[slot] }

    /// The class that a stored property links to.
    func target(ofColumn column: UInt32) -> ManagedClass { target(ofSlot: slotOfColumn[Int(column)]) }

    /// The class that a property links to.
    func target(ofSlot slot: Int) -> ManagedClass { unretainedTarget(ofSlot: slot)._withUnsafeGuaranteedRef { $0 } }

    /// The same, for paths on which a retain would cost too much.
    func unretainedTarget(ofSlot slot: Int) -> Unmanaged<ManagedClass> {
        guard let target = targets[slot] else { misuse("\(layout.slots[slot].property.name) links to nothing") }
        return target
    }

    /// The class that a stored property links to; nil if it holds values.
    func possibleTarget(ofColumn column: UInt32) -> ManagedClass? {
        targets[slotOfColumn[Int(column)]]?._withUnsafeGuaranteedRef { $0 }
    }

    /// Stops the program unless a link that holds this class can lead to an object. One of a subclass is in a table of
    /// its own.
    ///
    /// - Parameter name: the property with the link.
    func requireKind(of object: ObjectBase, linkedBy name: @autoclosure () -> String) {
        let given = type(of: object)
        if given == layout.type && given != DynamicObject.self { return }
        switch object._mode {
        case .unmanaged where session.classes.of(given).table == table: return
        case .live where object._session !== session || object.row.table == table: return
        case .deleted, .recording: return
        case .unmanaged, .live:
            let className = object._mode == .live ? object.layout.schema.className : "\(given)"
            misuse("\(name()) holds \(layout.schema.className), and an object of class \(className) is none")
        }
    }

    /// The property that a column number stands for.
    func property(ofColumn column: UInt32) -> Property? {
        columns.firstIndex(of: column).map { layout.slots[$0].property }
    }

    /// The stored property that a column number stands for; nil if the class has none, as another program may have
    /// added the column.
    func storedProperty(ofColumn column: UInt32) -> Property? {
        let slot = slotOfColumn.indices.contains(Int(column)) ? slotOfColumn[Int(column)] : -1
        return slot < 0 ? nil : layout.slots[slot].property
    }

    /// What kind of collection a column is. Fast, because it is asked for each collection that is read from a property.
    func kind(ofColumn column: UInt32) -> CollectionKind { kinds[slotOfColumn[Int(column)]] }

    /// The name of the property that a column number stands for.
    func propertyName(ofColumn column: UInt32) -> String? { property(ofColumn: column)?.name }

    /// The column of a stored property, or nil.
    func column(named name: String) -> UInt32? {
        layout.index(of: name).flatMap { $0 < layout.storedCount ? columns[$0] : nil }
    }

    /// The objects that link through a column to an object, which `find` finds unless they are those found last.
    func keys(linkingThrough column: UInt32, to key: UInt64, _ find: () -> EngineKeys) -> EngineKeys {
        if !isFrozen, let last = lastLinks.current(session), last.column == column && last.key == key {
            return last.keys
        }
        let keys = find()
        if isFrozen { return keys }
        lastLinks = Cached((column, key, keys), session)
        return keys
    }

    /// The names of properties that are not those of their columns.
    var aliases: [EngineAlias] {
        layout.slots.enumerated().compactMap { index, slot in
            let target: EngineAlias.Target
            if index >= layout.storedCount {
                target = .backlinks(table: self.target(ofSlot: index).table, column: originColumn(ofSlot: index))
            } else if slot.property.columnName != slot.property.name {
                target = .column(columns[index])
            } else {
                return nil
            }
            return EngineAlias(table: table, name: slot.property.name, target: target)
        }
    }

    /// Whether the file has columns that the class has not, between its own ones or in a migration.
    var hasLeftColumns: Bool { columnCount > layout.storedCount && !isDynamic }

    /// The columns that the class has not and that cannot be null: new objects have zero there.
    private(set) lazy var leftColumns: [(column: UInt32, type: EngineType)] = {
        return (0..<UInt32(columnCount)).compactMap { number in
            if slotOfColumn[Int(number)] >= 0 { return nil }
            guard let column = session.view.column(number, of: table), column.collection == .single,
                !column.isNullable, column.type != .link
            else { return nil }
            return (number, column.type)
        }
    }()

    // MARK: Objects

    /// A new object that shows a row; the row is looked up when it is first read.
    func makeObject(_ key: UInt64) -> ObjectBase {
        let object = layout.type.init()
        attach(object, key)
        return object
    }

    /// Makes an object show a row.
    func attach(_ object: ObjectBase, _ key: UInt64) {
        attach(object, isFrozen && key != 0 ? bound(key) : unbound(key))
    }

    /// Makes an object show a row.
    func attach(_ object: ObjectBase, _ row: EngineRow) {
        attachWrappers(object)
        object.row.pointee = row
        attachUnmarked(object)
    }

    /// The row of an object, which is looked up when it is first read.
    func unbound(_ key: UInt64) -> EngineRow { .unbound(key, of: table, view.head) }

    /// The row of an object of a frozen session. It is looked up at once: threads that read it do not change it.
    private func bound(_ key: UInt64) -> EngineRow {
        var row = EngineRow.empty, key = key
        view.bind(&row, to: table, &key, 1)
        session.snapshot?.share(&row)
        return row
    }

    private func attachWrappers(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let row = object.row
        if isDynamic {
            // The objects have no fields.
        } else if unmarked.isEmpty {
            for attachment in attachments {
                attachment.field.attach(base, row, attachment.column)
            }
        } else {
            for (attachment, slot) in zip(attachments, layout.slots) where slot.access._isWrapper {
                attachment.field.attach(base, row, attachment.column)
            }
        }
        object._retained = session
        object._managed = .passUnretained(self)
        object.become(.live, in: session.generation)
    }

    /// Makes the properties that are not marked with ``Persisted`` show the row of an object.
    func attachUnmarked(_ object: ObjectBase) {
        for index in unmarked {
            let slot = layout.slots[index]
            slot.access._attach(slot.wrapper(in: object), self, object.row, slot: index)
        }
    }

    // MARK: Rollback

    /// Remembers that the write of a generation was rolled back.
    func rollBack(_ generation: UInt64) {
        rollBack(generation, from: firstCreated)
        firstCreated = 0
    }

    /// The objects from a key on, which were created in a generation, are gone; none for key 0.
    func rollBack(_ generation: UInt64, from key: UInt64) {
        if key != 0 { rolledBack.insert(generation, firstKey: key) }
    }

    /// All objects so far are gone because of an invalidation, so that nobody asks for a reason.
    func forgetRollbacks() { rolledBack = RolledBackWrites() }

    @inline(never)
    private func wasRolledBack(_ key: UInt64, _ generation: UInt64) -> Bool {
        rolledBack.contains(generation, key: key)
    }

    /// Whether an object that was made in a generation is gone because of an invalidation or a rollback. If this is
    /// false, the engine knows whether the object is there.
    @inline(__always)
    func isKnownGone(_ key: UInt64, _ generation: UInt64) -> Bool {
        generation < session.invalidatedAt
            || !rolledBack.isEmpty && wasRolledBack(key, generation)
    }
}
