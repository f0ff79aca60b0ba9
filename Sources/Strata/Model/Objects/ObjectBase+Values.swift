// SPDX-License-Identifier: MIT
// ObjectBase+Values.swift -- the values of properties by the numbers of their slots.

extension ObjectBase {
    /// What is stored for the value of a property: for enums their raw values; nil for nil.
    func plainValue(_ index: Int) -> Any? {
        let slot = layout.slots[index]
        if slot.offset >= 0 { return slot.access._plain(slot.wrapper(in: self)) }
        guard let managed else { return nil }
        let column = managed.columns[index]
        return row.isCurrent || _reload(row, column) ? slot.access._managedPlain(row, column) : nil
    }

    /// The value of a property in its general form. A collection is the collection itself; an enum its raw value, which
    /// need not have a case.
    func storedValue(_ index: Int) -> _StoredValue {
        let slot = layout.slots[index]
        guard let managed, _mode == .live else { return slot.access._unmanagedValue(slot.wrapper(in: self)) }
        let column = managed.columns[index]
        guard row.isCurrent || _reload(row, column) else { return .null }
        if slot.property.isCollection || slot.property.type == .any { return slot.access._managedValue(row, column) }
        return managed.session.read("\(managed.name).\(slot.property.name)") { () throws(StrataError) in
            try managed.session.storedValue(row, managed, column)
        }
    }

    /// Changes a property; false if the value does not fit.
    func setStored(_ slot: ClassLayout.Slot, _ index: Int, _ value: _StoredValue) -> Bool {
        if slot.offset >= 0 { return slot.access._set(slot.wrapper(in: self), value) }
        guard let managed else { return false }
        return slot.access._setManaged(row, managed.columns[index], dynamic(value, slot.property))
    }

    /// A value for a property of an object without fields. The objects in a collection are added to the realm, and
    /// replaced by objects without fields; a link takes every object.
    private func dynamic(_ value: _StoredValue, _ property: Property) -> _StoredValue {
        guard property.type == .object, property.isCollection, let session = _session, session.isWriting else {
            return value
        }
        switch value {
        case .object(let object as ObjectBase):
            if object._mode == .unmanaged {
                session.record { () throws(StrataError) in _ = try ObjectInserter(session, .error).add(object) }
            }
            return (object as? DynamicObject ?? object.asDynamic).map { .object($0) } ?? .null
        case .elements(let values): return .elements(values.map { dynamic($0, property) })
        case .entries(let entries): return .entries(entries.map { ($0.key, dynamic($0.value, property)) })
        default: return value
        }
    }

    /// The number of the slot of a property; stops the program if there is none.
    func slotIndex(_ name: String) -> Int {
        let layout = layout
        if let index = layout.index(of: name) { return index }
        misuse(
            "\(layout.schema.className) has no persisted property \"\(name)\"; "
                + "it has \(layout.slots.map(\.property.name))")
    }
}
