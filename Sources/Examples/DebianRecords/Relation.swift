// SPDX-License-Identifier: MIT

/// One entry of a dependency field: the names of which one has to be present, in order of preference.
///
/// `libfoo (>= 1.2) | foo:any` has the names `libfoo` and `foo`; demands on version and architecture are
/// checked for their form and dropped.
public struct Relation: Equatable, Sendable {
    public let first: String
    /// The alternatives after the first. Most entries have none, and an empty array costs nothing.
    public let others: [String]

    public init(_ first: String, _ others: [String] = []) {
        self.first = first
        self.others = others
    }

    /// Reads a whole field, `a, b (>= 1) | c`. Empty entries, as after a trailing comma, are passed over.
    ///
    /// Throws the entry that is not understood.
    static func parse(_ field: ArraySlice<UInt8>) throws(InvalidEntry) -> [Relation] {
        var relations: [Relation] = []
        for entry in field.split(separator: UInt8(ascii: ",")) {
            let entry = entry.trimmed
            if entry.isEmpty { continue }
            guard let bar = entry.firstIndex(of: UInt8(ascii: "|")) else {
                relations.append(Relation(try name(in: entry)))
                continue
            }
            var others: [String] = []
            for other in entry[(bar + 1)...].split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false) {
                others.append(try name(in: other.trimmed))
            }
            relations.append(Relation(try name(in: entry[..<bar].trimmed), others))
        }
        return relations
    }

    struct InvalidEntry: Error {
        let text: String
    }

    /// The name at the front of `name[:arch] [(op version)] [[arch...]] [<profile...>]...`.
    private static func name(in alternative: ArraySlice<UInt8>) throws(InvalidEntry) -> String {
        let end = alternative.firstIndex { !isPartOfName($0) } ?? alternative.endIndex
        let name = alternative[..<end]
        guard isName(name), isTail(alternative[end...]) else {
            throw InvalidEntry(text: String(decoding: alternative, as: UTF8.self))
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isTail(_ tail: ArraySlice<UInt8>) -> Bool {
        var rest = tail
        if rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst().drop(while: isPartOfName)
        }
        rest = rest.trimmed
        while let open = rest.first {
            guard let close = closing[open], let end = rest.firstIndex(of: close) else { return false }
            rest = rest[(end + 1)...].trimmed
        }
        return true
    }

    private static let closing = [
        UInt8(ascii: "("): UInt8(ascii: ")"),
        UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "<"): UInt8(ascii: ">"),
    ]
}

/// True for what dpkg accepts as the name of a package.
func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) || isDigit(first) else { return false }
    return bytes.allSatisfy(isPartOfName)
}

private func isPartOfName(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "_")
}
