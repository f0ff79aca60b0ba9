// SPDX-License-Identifier: MIT
// SwiftNames.swift -- what classes and properties of a file are called in Swift.

/// Names in Swift for the classes of a file, or for the properties of one class. A name that Swift or the library has
/// for itself gets a sign more; all names are different.
struct SwiftNames {
    private var names: [String: String] = [:]

    init(classes: [String]) { self.init(classes) { name, _ in SwiftNames.modules.contains(name) } }

    /// The wrapper of a property `a` is stored as `_a`, so that a property `_a` beside it is called otherwise.
    init(properties: [String]) {
        self.init(properties) { name, used in
            SwiftNames.members.contains(name) || name.first == "_" && used.contains(String(name.dropFirst()))
        }
    }

    /// - Parameter isTaken: whether a name cannot be used beside others.
    private init(_ all: [String], isTaken: (String, Set<String>) -> Bool) {
        var used = Set(all)
        for name in all {
            var own = SwiftNames.canBeQuoted(name) ? name : SwiftNames.letters(of: name)
            while isTaken(own, used) || own != name && (used.contains(own) || used.contains("_" + own)) { own += "_" }
            used.insert(own)
            names[name] = own
        }
    }

    private static func letters(of name: String) -> String {
        let letters = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return letters.contains { $0 != "_" } ? letters : "name"
    }

    /// The name of what the file calls so.
    func name(_ stored: String) -> String { names[stored] ?? stored }

    /// The name in backquotes if it is a word of the language, or has signs that names do not have.
    func quoted(_ stored: String) -> String {
        let name = name(stored)
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && name.first?.isNumber != true
        return isPlain && !SwiftNames.words.contains(name) ? name : "`\(name)`"
    }

    /// A type of a module, with the name of the module if a class has that name.
    func type(_ name: String) -> String {
        guard names.values.contains(name) else { return name }
        let module = ["Bool", "Int", "Float", "Double", "String"].contains(name)
            ? "Swift" : ["Data", "Date", "UUID"].contains(name) ? "Foundation" : "RealmSwift"
        return "\(module).\(name)"
    }

    /// Names in backquotes have any signs but these, and are neither operators nor space.
    private static func canBeQuoted(_ name: String) -> Bool {
        let isText = name.unicodeScalars.allSatisfy { sign in
            sign != "`" && sign != "\\" && (sign == " " || !sign.properties.isWhitespace)
                && ![.control, .format, .lineSeparator, .paragraphSeparator].contains(sign.properties.generalCategory)
        }
        let isOperator = name.allSatisfy { $0.isSymbol || $0.isPunctuation && $0 != "_" || $0 == " " }
        return isText && !isOperator && name.first != "$"
    }

    private static let modules: Set<String> = ["Foundation", "Persisted", "RealmSwift", "Swift"]

    /// Members of objects that a property cannot be called as.
    private static let members: Set<String> = [
        "_crossing", "crossing", "description", "hash", "hashValue", "isFrozen", "isInvalidated", "objectSchema",
        "realm",
    ]

    private static let words: Set<String> = [
        "_", "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
