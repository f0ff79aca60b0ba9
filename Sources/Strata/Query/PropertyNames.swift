// SPDX-License-Identifier: MIT
// PropertyNames.swift -- names of properties, as one component of a path.

/// Names of properties that lead from an object through others to a value.
final class PropertyNames {
    let names: [String]
    /// The names in the form in which predicates write them.
    let text: String
    /// The class that the first property belongs to.
    let root: ObjectBase.Type
    /// The slot of each property in the layout of its class, up to the first name that is no property.
    let slots: [Int]

    init(_ names: [String], from root: ObjectBase.Type) {
        self.names = names
        self.root = root
        text = names.map(PredicateWords.escaped).joined(separator: ".")
        var type: ObjectBase.Type? = root
        var slots: [Int] = []
        for name in names {
            guard let layout = type.map(ClassLayout.of), let slot = layout.index(of: name) else { break }
            slots.append(slot)
            type = layout.slots[slot].target
        }
        self.slots = slots
    }
}
