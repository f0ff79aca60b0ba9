// SPDX-License-Identifier: MIT
// JSONReader.swift -- JSON that a page sends.

/// A value of JSON that was read. Numbers stay text.
indirect enum JSONValue {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case list([JSONValue])
    /// In the order of the text. Names are equal if their bytes are.
    case object([(name: String, value: JSONValue)])

    /// Reads all of some bytes as one value; nil if they are something else. At most 32 lists and objects are inside
    /// each other.
    init?(_ bytes: [UInt8]) { self.init(bytes, deepest: 32) }

    private init?(_ bytes: [UInt8], deepest: Int) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = JSONReader(text: Substring(text), deepest: deepest)
        guard let value = reader.whole() else { return nil }
        self = value
    }

    /// What a text is that should be one value, and nothing beside it.
    enum Look {
        case value, nothing
        /// Perhaps a value, of more lists and objects inside each other than any property takes.
        case tooDeep
    }

    static func look(at text: String) -> Look {
        var reader = JSONReader(text: Substring(text), deepest: 256)
        return reader.whole() != nil ? .value : reader.isTooDeep ? .tooDeep : .nothing
    }

    subscript(name: String) -> JSONValue? {
        members.last { $0.name.isSame(as: name) }?.value
    }

    var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var number: UInt64? {
        if case .number(let text) = self { return UInt64(text) }
        return nil
    }

    var members: [(name: String, value: JSONValue)] {
        if case .object(let members) = self { return members }
        return []
    }
}

private struct JSONReader {
    var text: Substring
    let deepest: Int
    /// It has ended where more are inside each other.
    private(set) var isTooDeep = false

    init(text: Substring, deepest: Int) { (self.text, self.deepest) = (text, deepest) }

    /// All of the text.
    mutating func whole() -> JSONValue? {
        guard let value = value(depth: 0) else { return nil }
        skipSpace()
        return text.isEmpty ? value : nil
    }

    mutating func skipSpace() {
        while let scalar = text.unicodeScalars.first,
            scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
        {
            text.unicodeScalars.removeFirst()
        }
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard text.unicodeScalars.first == sign else { return false }
        text.unicodeScalars.removeFirst()
        return true
    }

    mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        if depth >= deepest { isTooDeep = true }
        guard !isTooDeep, let first = text.unicodeScalars.first else { return nil }
        switch first {
        case "{": return object(depth: depth)
        case "[": return list(depth: depth)
        case "\"": return string().map { .string($0) }
        default: return word()
        }
    }

    private mutating func word() -> JSONValue? {
        let word = String(text.unicodeScalars.prefix { !" \t\r\n,]}:".unicodeScalars.contains($0) })
        text.unicodeScalars.removeFirst(word.unicodeScalars.count)
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: return Self.isNumber(word.utf8) ? .number(word) : nil
        }
    }

    /// Digits without needless zeros in front, perhaps a point and digits, perhaps an exponent.
    private static func isNumber(_ word: String.UTF8View) -> Bool {
        var rest = word[...]
        func takeDigits() -> Int {
            let count = rest.prefix { (48...57).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        func take(_ signs: String) -> Bool {
            guard let first = rest.first, signs.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = take("-")
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let whole = takeDigits()
        if whole == 0 || (beginsWithZero && whole > 1) || (take(".") && takeDigits() == 0) { return false }
        if take("eE") {
            _ = take("+-")
            if takeDigits() == 0 { return false }
        }
        return rest.isEmpty
    }

    private mutating func list(depth: Int) -> JSONValue? {
        _ = take("[")
        var entries: [JSONValue] = []
        if take("]") { return .list([]) }
        while let entry = value(depth: depth + 1) {
            entries.append(entry)
            if take("]") { return .list(entries) }
            if !take(",") { return nil }
        }
        return nil
    }

    private mutating func object(depth: Int) -> JSONValue? {
        _ = take("{")
        var members: [(name: String, value: JSONValue)] = []
        if take("}") { return .object([]) }
        while true {
            skipSpace()
            guard let name = string(), take(":"), let entry = value(depth: depth + 1) else { return nil }
            members.append((name, entry))
            if take("}") { return .object(members) }
            if !take(",") { return nil }
        }
    }

    private mutating func string() -> String? {
        guard text.unicodeScalars.first == "\"" else { return nil }
        text.unicodeScalars.removeFirst()
        var out: [UInt16] = []
        while let scalar = text.unicodeScalars.popFirst() {
            if scalar == "\"" { return String(validating: out, as: UTF16.self) }
            if scalar.value < 0x20 { return nil }
            guard scalar == "\\" else {
                out.append(contentsOf: UTF16.encode(scalar)!)
                continue
            }
            guard let unit = escape() else { return nil }
            out.append(unit)
        }
        return nil
    }

    private mutating func escape() -> UInt16? {
        switch text.unicodeScalars.popFirst() {
        case "\"": return 34
        case "\\": return 92
        case "/": return 47
        case "b": return 8
        case "f": return 12
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "u":
            let digits = String(text.unicodeScalars.prefix(4))
            guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16), digits.first != "+" else { return nil }
            text.unicodeScalars.removeFirst(4)
            return unit
        default: return nil
        }
    }
}
