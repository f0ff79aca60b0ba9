// SPDX-License-Identifier: MIT
// ManagedClass.swift -- a class in one open realm: its table and columns.

import CStrata

/// What is in a collection.
struct CollectionContents {
    let isSet: Bool
    let isMap: Bool
    /// Values of any type, among which there may be lists and maps.
    let isAny: Bool

    init(_ property: Property) {
        isSet = property.isSet
        isMap = property.isMap
        isAny = property.type == .any
    }
}

/// A class in one open realm. Owned by the session.
final class ManagedClass {
    /// Where an instance keeps a wrapper, which column that shows, and how to read it. Plain bytes, for tight loops.
    struct Attachment {
        let place: WrapperPlace
        let column: UInt32
        let kind: UnmanagedValue
        let isCollection: Bool
        let isStored: Bool
    }

    let layout: ClassLayout
    let table: UInt32
    /// Column numbers, parallel to `layout.slots`; of linking objects the number of the slot.
    let columns: [UInt32]
    /// How many values a row has.
    let columnCount: Int
    unowned(unsafe) let session: Session  // which owns this; checked references would make every retain slow
    // Of the view of the session, which outlives this: at hand where a retain of either would count.
    let head: UnsafePointer<strata_view_head>
    let view: OpaquePointer
    let error: UnsafeMutablePointer<strata_error>
    /// Parallel to `layout.slots`.
    private let contents: [CollectionContents]
    /// The slots of properties that are not marked with ``Persisted``.
    private let unmarked: [Int]
    /// Parallel to `layout.slots`.
    let attachments: UnsafeMutableBufferPointer<Attachment>

    /// Classes that properties link to, parallel to `layout.slots`.
    private var targets: [Unmanaged<ManagedClass>?] = []
    /// Of linking objects the column at the other end, parallel to `layout.slots`.
    private var originColumns: [UInt32] = []
    /// The slot of each column number; -1 of columns that the class does not know.
    private let slotOfColumn: [Int]

    /// Every access to linking objects makes a query of its own, so what they found is kept here.
    private var lastLinks: (column: UInt32, key: UInt64, keys: EngineKeys, changes: UInt64)?

    /// The first object that this write transaction created; 0 for none.
    @exclusivity(unchecked) var firstCreated: UInt64 = 0
    /// Writes that were rolled back: when, and from which key on their objects are gone.
    @exclusivity(unchecked) private var rolledBack: [(moment: UInt64, first: UInt64)] = []

    init(_ layout: ClassLayout, table: UInt32, columns: [UInt32], columnCount: Int, session: Session) {
        self.layout = layout
        isDynamic = layout.type == DynamicObject.self
        isEmbedded = layout.schema.isEmbedded
        self.table = table
        self.columns = columns
        self.columnCount = columnCount
        self.session = session
        head = session.view.head
        view = session.view.handle
        error = session.view.error
        var slotOfColumn = [Int](repeating: -1, count: columnCount)
        for index in 0..<layout.storedCount { slotOfColumn[Int(columns[index])] = index }
        self.slotOfColumn = slotOfColumn
        attachments = .allocate(capacity: columns.count)
        var unmarked: [Int] = []
        for (index, slot) in layout.slots.enumerated() {
            attachments.initializeElement(at: index, to: Attachment(
                place: WrapperPlace(slot.offset, slot.access), column: columns[index],
                kind: slot.kind, isCollection: slot.property.isCollection,
                isStored: index < layout.storedCount))
            if slot.offset >= 0 && !slot.access._isWrapper { unmarked.append(index) }
        }
        self.unmarked = unmarked
        contents = layout.slots.map { CollectionContents($0.property) }
    }

    deinit { attachments.deallocate() }

    /// Whether the objects have no fields for their properties.
    private let isDynamic: Bool

    /// The name of the class.
    var name: String { layout.schema.className }

    /// Whether the objects are parts of others.
    let isEmbedded: Bool

    /// The columns that hold embedded objects.
    private(set) var partColumns: [(column: UInt32, target: ManagedClass, isCollection: Bool)] = []

    /// Whether objects of other classes may be parts of the objects.
    var ownsObjects: Bool { !partColumns.isEmpty }

    /// Whether a property holds a single value of any type, which may link to objects of every class.
    func isLinkOfAnyClass(_ slot: Int) -> Bool {
        let property = layout.slots[slot].property
        return property.type == .any && !property.isCollection
    }

    /// Finds the classes that properties link to; called when the session has made all classes.
    func resolveTargets() {
        let targets = layout.slots.map { slot -> ManagedClass? in
            if isDynamic { return slot.property.objectClassName.map { session.dynamic($0) } }
            return slot.target.map { session.managed($0) }
        }
        self.targets = targets.map { $0.map { .passUnretained($0) } }
        originColumns = zip(layout.slots, targets).map { slot, target in
            slot.property.linkOriginPropertyName.flatMap { target?.column(named: $0) } ?? 0
        }
        for index in 0..<layout.storedCount {
            guard let target = targets[index], target.isEmbedded else { continue }
            partColumns.append((columns[index], target, layout.slots[index].property.isCollection))
        }
    }

    /// The column whose links a slot of linking objects follows backwards.
    func originColumn(ofSlot slot: Int) -> UInt32 { originColumns[slot] }

    /// The class that a stored property links to.
    func target(ofColumn column: UInt32) -> ManagedClass { target(ofSlot: slotOfColumn[Int(column)]) }

    /// The class that a property links to.
    func target(ofSlot slot: Int) -> ManagedClass { unretainedTarget(ofSlot: slot)._withUnsafeGuaranteedRef { $0 } }

    /// The same, for paths on which a retain counts.
    func unretainedTarget(ofSlot slot: Int) -> Unmanaged<ManagedClass> {
        guard let target = targets[slot] else { misuse("\(layout.slots[slot].property.name) links to nothing") }
        return target
    }

    /// The class that a stored property links to; nil if it holds values.
    func possibleTarget(ofColumn column: UInt32) -> ManagedClass? {
        targets[slotOfColumn[Int(column)]]?._withUnsafeGuaranteedRef { $0 }
    }

    /// The property that a column number stands for.
    func property(ofColumn column: UInt32) -> Property? {
        columns.firstIndex(of: column).map { layout.slots[$0].property }
    }

    /// What is in a collection column, found fast enough for every place that is made.
    func contents(ofColumn column: UInt32) -> CollectionContents { contents[slotOfColumn[Int(column)]] }

    /// The name of the property that a column number stands for.
    func propertyName(ofColumn column: UInt32) -> String? { property(ofColumn: column)?.name }

    /// The column of a stored property, or nil.
    func column(named name: String) -> UInt32? {
        layout.index(of: name).flatMap { $0 < layout.storedCount ? columns[$0] : nil }
    }

    /// The objects that link through a column to an object. What was found last is kept until anything changes.
    func keys(linkingThrough column: UInt32, to key: UInt64, _ find: () -> EngineKeys) -> EngineKeys {
        if let last = lastLinks, last.column == column && last.key == key && last.changes == session.changes {
            return last.keys
        }
        let keys = find()
        lastLinks = (column, key, keys, session.changes)
        return keys
    }

    /// A new object that shows a row; the row is looked up when it is first read.
    func makeObject(_ key: UInt64) -> ObjectBase {
        let object = layout.type.init()
        attach(object, key)
        return object
    }

    /// Makes an object show a row.
    func attach(_ object: ObjectBase, _ key: UInt64) {
        attachWrappers(object)
        object.row.pointee = unbound(key)
        attachUnmarked(object)
    }

    /// A row that will be looked up when it is first read: no view was ever in epoch 0.
    func unbound(_ key: UInt64) -> strata_row {
        var row = strata_row()
        row.head = head
        row.key = key
        row.table = table
        return row
    }

    private func attachWrappers(_ object: ObjectBase) {
        let base = Unmanaged.passUnretained(object).toOpaque()
        let row = object.row
        if isDynamic {
            // There are no fields.
        } else if unmarked.isEmpty {
            for attachment in attachments {
                attachment.place.attach(base, row, attachment.column)
            }
        } else {
            for (attachment, slot) in zip(attachments, layout.slots) where slot.access._isWrapper {
                attachment.place.attach(base, row, attachment.column)
            }
        }
        object._keeper = session
        object._managed = .passUnretained(self)
        object.become(.live, at: session.moment)
    }

    /// Makes the properties that are not marked with ``Persisted`` show the row of an object.
    func attachUnmarked(_ object: ObjectBase) {
        for index in unmarked {
            let slot = layout.slots[index]
            slot.access._attach(slot.wrapper(in: object), self, object.row, slot: index)
        }
    }

    // MARK: Rollback

    /// Notes that the write of that moment was rolled back, so that its keys may be handed out again.
    func rollBack(_ moment: UInt64) {
        if firstCreated != 0 { rolledBack.append((moment, firstCreated)) }
        firstCreated = 0
    }

    /// Whether the realm was invalidated after a moment, or an object made then showed a row that a rollback removed.
    /// If not, the engine knows whether the row is there.
    @inline(__always)
    func isKnownGone(_ key: UInt64, _ moment: UInt64) -> Bool {
        moment < session.invalidatedAt
            || !rolledBack.isEmpty && rolledBack.contains { $0.moment == moment && key >= $0.first }
    }
}
