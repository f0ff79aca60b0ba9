// SPDX-License-Identifier: MIT
// Object+Appending.swift -- changing a part of Data and String, without the rest. An addition to Realm's API.

public import struct Foundation.Data

extension ObjectBase {
    /// Puts bytes behind the end of a `Data` property, or begins the value if it is nil.
    ///
    /// ```swift
    /// try realm.write { picture.append(Data([1, 2, 3]), to: \.pixels) }
    /// ```
    ///
    /// However long the value is, only its end is written: a log can grow line by line. The property of a live object
    /// must have no index and be no primary key. A value that would have more than 16 MiB makes the write fail.
    ///
    /// Thread: that of the object. Stops the program outside of a write transaction, if `name` is no `Data` property or
    /// has an index, or if the object was deleted.
    public final func append(_ data: Data, toPropertyNamed name: String) {
        let index = slotIndex(name, .data)
        if _mode == .unmanaged { return setValue((plainValue(index) as? Data ?? Data()) + data, forKey: name) }
        data.withUnsafeBytes { bytes in
            changePart(index) { (view, row, column) throws(StrataError) in try view.append(bytes, to: row, column) }
        }
    }

    /// Puts text behind the end of a `String` property, or begins the value if it is nil. See
    /// `append(_:toPropertyNamed:)` of `Data`.
    public final func append(_ text: String, toPropertyNamed name: String) {
        let index = slotIndex(name, .string)
        if _mode == .unmanaged { return setValue((plainValue(index) as? String ?? "") + text, forKey: name) }
        var text = text
        text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            changePart(index) { (view, row, column) throws(StrataError) in try view.append(bytes, to: row, column) }
        }
    }

    /// Puts bytes over those of a `Data` property from an offset on, which is at most its size; nil counts as empty.
    /// Where they end behind its end, the value grows. Only these bytes are written, with the rest of their pages.
    ///
    /// Stops the program as `append(_:toPropertyNamed:)` does, and if the offset is outside of the value.
    public final func write(_ data: Data, toPropertyNamed name: String, at offset: Int) {
        let index = slotIndex(name, .data)
        if offset < 0 { misuse("\(layout.schema.className).\(name) has no byte \(offset); offsets begin with 0") }
        if _mode == .unmanaged {
            var all = plainValue(index) as? Data ?? Data()
            if offset > all.count {
                misuse("\(layout.schema.className).\(name) has \(all.count) bytes, so nothing begins at \(offset)")
            }
            let end = min(all.count, offset + data.count)
            all.replaceSubrange(all.startIndex + offset..<all.startIndex + end, with: data)
            return setValue(all, forKey: name)
        }
        data.withUnsafeBytes { bytes in
            changePart(index) { (view, row, column) throws(StrataError) in
                try view.write(bytes, to: row, column, at: offset)
            }
        }
    }

    /// The property with a name; stops the program if it has another type.
    private func slotIndex(_ name: String, _ type: PropertyType) -> Int {
        let index = slotIndex(name)
        let property = layout.slots[index].property
        if property.type != type || property.isCollection {
            misuse("\(layout.schema.className).\(name) is no \(type), so no part of it can be changed")
        }
        return index
    }

    private func changePart(
        _ index: Int, _ change: (EngineView, _Row, UInt32) throws(StrataError) -> Bool
    ) {
        let row = row, column = managed?.columns[index] ?? 0
        LiveRow.change(row, column) { (view) throws(StrataError) in try change(view, row, column) }
    }
}

extension _LendsBytes {
    /// Puts bytes behind the end of a `Data` property. See `append(_:toPropertyNamed:)`.
    public func append(_ data: Data, to keyPath: KeyPath<Self, Data>) {
        append(data, toPropertyNamed: ObjectBase.propertyName(keyPath))
    }

    /// Puts bytes behind the end of a `Data?` property. See `append(_:toPropertyNamed:)`.
    public func append(_ data: Data, to keyPath: KeyPath<Self, Data?>) {
        append(data, toPropertyNamed: ObjectBase.propertyName(keyPath))
    }

    /// Puts text behind the end of a `String` property. See `append(_:toPropertyNamed:)`.
    public func append(_ text: String, to keyPath: KeyPath<Self, String>) {
        append(text, toPropertyNamed: ObjectBase.propertyName(keyPath))
    }

    /// Puts text behind the end of a `String?` property. See `append(_:toPropertyNamed:)`.
    public func append(_ text: String, to keyPath: KeyPath<Self, String?>) {
        append(text, toPropertyNamed: ObjectBase.propertyName(keyPath))
    }

    /// Puts bytes over those of a `Data` property from an offset on. See `write(_:toPropertyNamed:at:)`.
    public func write(_ data: Data, to keyPath: KeyPath<Self, Data>, at offset: Int) {
        write(data, toPropertyNamed: ObjectBase.propertyName(keyPath), at: offset)
    }

    /// Puts bytes over those of a `Data?` property from an offset on. See `write(_:toPropertyNamed:at:)`.
    public func write(_ data: Data, to keyPath: KeyPath<Self, Data?>, at offset: Int) {
        write(data, toPropertyNamed: ObjectBase.propertyName(keyPath), at: offset)
    }
}
