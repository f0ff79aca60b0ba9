// SPDX-License-Identifier: MIT
// Object+Subscript.swift -- properties by name.

extension Object {
    /// The value of a property by its name; nil stands for nil. Enums give their raw values.
    ///
    /// Stops the program if there is no such property, or if a value does not fit.
    public subscript(propertyName: String) -> Any? {
        get {
            let slot = slot(propertyName)
            let value = slot.access._any(self, slot.offset)
            if ClassLayout.Slot.isNil(value) { return nil }
            let plain = ClassLayout.Slot.unwrap(value)
            return (plain as? any RawRepresentable).map { $0.rawValue } ?? plain
        }
        set {
            let slot = slot(propertyName)
            do {
                try ObjectBuilder.assign(newValue as Any, to: self, slot)
            } catch {
                misuse("\(type(of: self)): \(error.message)")
            }
        }
    }

    private func slot(_ name: String) -> ClassLayout.Slot {
        let layout = ClassLayout.of(type(of: self))
        guard let index = layout.index(of: name) else {
            let names = layout.schema.properties.map(\.name)
            misuse("\(type(of: self)) has no persisted property \"\(name)\"; it has \(names)")
        }
        return layout.slots[index]
    }
}
