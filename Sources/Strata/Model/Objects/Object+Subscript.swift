// SPDX-License-Identifier: MIT
// Object+Subscript.swift -- properties by name.

import Foundation

extension ObjectBase {
    /// The value of a property by its name; nil stands for nil. The value of an enum is its raw value, that of another
    /// custom type what is stored for it, and that of `AnyRealmValue` the value in it.
    ///
    /// Stops the program if there is no such property. A value that does not fit makes the write fail, or stops the
    /// program where there is none.
    public final subscript(propertyName: String) -> Any? {
        get { plainValue(slotIndex(propertyName)) }
        set { setValue(newValue, forKey: propertyName) }
    }

    /// The value of a property by its name; the same as `self[key]`.
    public final func value(forKey key: String) -> Any? { plainValue(slotIndex(key)) }

    /// The value at the end of a path of names joined by dots, through links; nil if one of them is nil. Behind a list,
    /// a set or linking objects, the path goes on as `value(forKeyPath:)` of a collection takes it; behind a map, it
    /// goes on with a key.
    public final func value(forKeyPath keyPath: String) -> Any? { follow(keyPath, layout.schema.className) }

    /// Changes a property by its name. Accepts what `create(_:value:)` accepts.
    ///
    /// Stops the program if there is no such property. A value that does not fit makes the write fail, or stops the
    /// program where there is none.
    public final func setValue(_ value: Any?, forKey key: String) {
        let index = slotIndex(key)
        do {
            try ObjectBuilder.assign(value ?? NSNull(), to: self, index)
        } catch {
            guard let session = _session else { misuse(error.message) }
            session.fail(error) { "\(LiveRow.name(self)) cannot be changed" }
        }
    }

    /// Changes the property at the end of a path of names joined by dots, through links. Behind a list, a set or linking
    /// objects, that of each of their objects; behind a map, what is under a key.
    ///
    /// Stops the program if a link on the path is nil.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        follow(value, keyPath, layout.schema.className)
    }
}

extension ObjectBase {
    /// The values of properties by their names; `NSNull` stands for nil.
    ///
    /// Stops the program if there is no such property.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    /// Changes properties by their names. Accepts what `create(_:value:)` accepts; `NSNull` stands for nil.
    ///
    /// Stops the program if there is no such property. A value that does not fit makes the write fail, or stops the
    /// program where there is none.
    public final func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value, forKey: key) }
    }

    /// Whether the object is of a class, or of a subclass of it.
    public final func isKind(of aClass: AnyClass) -> Bool {
        sequence(first: type(of: self) as AnyClass) { _getSuperclass($0) }.contains { $0 == aClass }
    }
}

/// What has values under names, which paths lead through: objects and collections.
protocol KeyPathSource {
    func value(forKey key: String) -> Any?
    func value(forKeyPath keyPath: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
    func setValue(_ value: Any?, forKeyPath keyPath: String)
}

extension KeyPathSource {
    /// The value at the end of a path; nil if one on the path is nil.
    ///
    /// - Parameter name: what the values belong to, for the message if the path does not go on.
    func follow(_ keyPath: String, _ name: @autoclosure () -> String) -> Any? {
        guard let dot = keyPath.firstIndex(of: ".") else { return value(forKey: keyPath) }
        let head = String(keyPath[..<dot]), rest = String(keyPath[keyPath.index(after: dot)...])
        switch value(forKey: head) {
        case nil: return nil
        case let next as any KeyPathSource: return next.value(forKeyPath: rest)
        default: misuse("\(name()).\(head) is no link, so \"\(rest)\" cannot follow it")
        }
    }

    /// Sets the value at the end of a path.
    func follow(_ value: Any?, _ keyPath: String, _ name: @autoclosure () -> String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let head = String(keyPath[..<dot])
        guard let next = self.value(forKey: head) as? any KeyPathSource else {
            misuse("\(name()).\(head) is nil or no object, so nothing can be set in it")
        }
        next.setValue(value, forKeyPath: String(keyPath[keyPath.index(after: dot)...]))
    }
}

extension ObjectBase: KeyPathSource {}
