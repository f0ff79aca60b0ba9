// SPDX-License-Identifier: MIT

/// Turns the fields of one paragraph into values, or into a problem with the line of the field.
struct FieldReader {
    let paragraph: Paragraph
    let bytes: [UInt8]
    let file: String

    func name() throws(RecordProblem) -> String {
        guard let value = slice(.package) else {
            throw RecordProblem(file: file, line: paragraph.firstLine, reason: "the record has no field Package")
        }
        guard isName(value) else { throw problem(.package, "is not the name of a package: \(quoted(value))") }
        return try text(.package) ?? ""
    }

    /// A package that is absent may have no version; 0 stands for it.
    func version(mayBeMissing: Bool) throws(RecordProblem) -> DebianVersion {
        guard let text = try text(.version) else {
            if mayBeMissing, let none = DebianVersion("0") { return none }
            throw RecordProblem(file: file, line: paragraph.firstLine, reason: "the record has no field Version")
        }
        guard let version = DebianVersion(text) else {
            throw problem(.version, "is not a version: \(quoted(text.utf8))")
        }
        return version
    }

    /// The third word of `Status: install ok installed`.
    func state() throws(RecordProblem) -> PackageRecord.State {
        guard let value = slice(.status) else { return .available }
        let words = value.split(whereSeparator: isBlank)
        guard words.count == 3 else { throw problem(.status, "should have three words: \(quoted(value))") }
        switch String(decoding: words[2], as: UTF8.self) {
        case "not-installed", "config-files": return .absent
        default: return .installed
        }
    }

    /// The field counts in KiB.
    func installedSize() throws(RecordProblem) -> Int {
        guard let value = slice(.installedSize) else { return 0 }
        guard value.allSatisfy(isDigit), let size = Int(String(decoding: value, as: UTF8.self)) else {
            throw problem(.installedSize, "is not a number: \(quoted(value))")
        }
        let (result, tooLarge) = size.multipliedReportingOverflow(by: 1024)
        if tooLarge { throw problem(.installedSize, "is too large: \(quoted(value))") }
        return result
    }

    /// `Name <address>`; the name may be quoted, and either may be missing. Of several contacts, the first.
    func maintainer() throws(RecordProblem) -> PackageRecord.Contact? {
        guard let text = try text(.maintainer) else { return nil }
        guard let open = text.firstIndex(of: "<"), let close = text[open...].firstIndex(of: ">") else {
            return PackageRecord.Contact(name: text, address: "")
        }
        var name = text[..<open]
        while name.last == " " { name.removeLast() }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        let address = text[text.index(after: open)..<close]
        return PackageRecord.Contact(name: String(name), address: String(address))
    }

    /// `name` or `name (version)`.
    func source() throws(RecordProblem) -> String? {
        guard let text = try text(.source) else { return nil }
        return String(text.prefix { $0 != " " && $0 != "(" })
    }

    func relations(_ field: Field) throws(RecordProblem) -> [Relation] {
        guard let value = slice(field) else { return [] }
        do {
            return try Relation.parse(value)
        } catch {
            throw problem(field, "has an entry that is not understood: \(quoted(error.text.utf8))")
        }
    }

    /// The value of a field; nil if it is missing or empty.
    func text(_ field: Field, firstLineOnly: Bool = false) throws(RecordProblem) -> String? {
        guard let value = slice(field) else { return nil }
        guard let text = String(validating: firstLineOnly ? value.firstLine : value, as: UTF8.self) else {
            throw problem(field, "is not valid UTF-8")
        }
        guard text.utf8.count <= PackageRecord.largestValue else {
            throw problem(field, "is longer than 16 MiB (\(text.utf8.count) bytes)")
        }
        return text
    }

    private func slice(_ field: Field) -> ArraySlice<UInt8>? {
        guard let value = paragraph[field] else { return nil }
        let trimmed = bytes[value.range].trimmed
        return trimmed.isEmpty ? nil : trimmed
    }

    private func problem(_ field: Field, _ what: String) -> RecordProblem {
        let line = paragraph[field]?.line ?? paragraph.firstLine
        return RecordProblem(file: file, line: line, reason: "the field \(field.name) \(what)")
    }
}
