// SPDX-License-Identifier: MIT
// KeyPathRecorder.swift -- finds the names behind a key path by reading it from an object that records what is read.

/// Records which properties of prototypes are read.
///
/// A prototype is an object whose row is never current. So every read of a wrapper takes the slow path, which calls
/// `record`.
final class KeyPathRecorder {
    private(set) var path: [String] = []
    /// What is in fields that are not marked with ``Persisted``. The prototypes live as long as these do.
    private var unmarked: [(value: AnyObject, object: ObjectBase, property: Int)] = []

    /// Reads a key path from a prototype, or from a projection of one. The getters of computed properties run, and may
    /// ask for an element of a list; so lists that are empty have one at every position meanwhile.
    static func read(_ keyPath: AnyKeyPath, of start: Any) -> Any? {
        let scope = ThreadScope.current
        scope.recordings += 1
        defer { scope.recordings -= 1 }
        return start[keyPath: keyPath]
    }

    /// Whether the calling thread reads a key path.
    static var isReading: Bool { ThreadScope.current.recordings != 0 }

    /// Called when a property of a prototype is read.
    func record(_ object: ObjectBase, property: Int) {
        path.append(ClassLayout.of(type(of: object)).slots[property].property.name)
    }

    /// Called with the value that a key path gave. If it is in a field without a mark, reading it was not noticed.
    func end(at value: Any) {
        guard let found = unmarked.first(where: { $0.value === value as AnyObject }) else { return }
        record(found.object, property: found.property)
    }

    /// An object of which every read is recorded. All its values are zero, empty or nil; its links lead to prototypes.
    func prototype(_ type: ObjectBase.Type) -> ObjectBase {
        let layout = ClassLayout.of(type)
        let object = type.init()
        for (index, slot) in layout.slots.enumerated() {
            guard let value = slot.access._record(slot.wrapper(in: object), object.row, slot: index) else { continue }
            unmarked.append((value, object, index))
        }
        object.row.pointee = .recording
        object._retained = self
        object.become(.recording, in: 0)
        return object
    }
}
