// SPDX-License-Identifier: MIT
// CSVText.swift -- what commands say about files, as CSV.

/// Rows that are made here, as CSV. Objects of files are written by the engine.
struct CSVText: CustomStringConvertible {
    let names: [String]
    let rows: [[JSONText]]

    init(_ names: [String], _ rows: [[JSONText]]) { (self.names, self.rows) = (names, rows) }

    /// Of a list of objects that all have these members, in this order.
    init(_ list: [JSONText], _ names: [String]) {
        self.names = names
        rows = list.map { $0.members.map(\.value) }
    }

    var description: String {
        names.isEmpty ? "" : ([names] + rows.map { $0.map(Self.field) } as [[String?]])
            .map { $0.map(Self.quoted).joined(separator: ",") + "\n" }.joined()
    }

    /// A value without the quotes that JSON has; nil for a null.
    static func field(_ value: JSONText) -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        default: return "\(value)"
        }
    }

    /// As exports have it: a null is empty, and an empty string is "".
    private static func quoted(_ text: String?) -> String {
        guard let text else { return "" }
        guard text.isEmpty || text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) else { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { out.append(contentsOf: scalar == "\"" ? [scalar, scalar] : [scalar]) }
        return "\"\(String(out))\""
    }
}

extension JSONText {
    /// Those of an object.
    fileprivate var members: KeyValuePairs<String, JSONText> {
        if case .object(let members) = self { members } else { [:] }
    }

    /// The list of a member of an object, or of an object in it.
    func list(named name: String) -> [JSONText]? {
        for (key, value) in members {
            if key == name, case .list(let found) = value { return found }
            if let found = value.list(named: name) { return found }
        }
        return nil
    }
}
