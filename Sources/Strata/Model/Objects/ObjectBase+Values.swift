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
        let column = managed.columns[index]
        guard slot.property.type == .object, slot.property.isCollection else {
            return slot.access._setManaged(row, column, value)
        }
        // The collection is one of objects without fields; what is added to it may be of a class of the program.
        guard LiveRow.changing(row, column) != nil, case .collection(let collection) = storedValue(index) else {
            return true
        }
        (collection as? any PersistedCollection)?.live?.replace(with: value)
        return true
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
