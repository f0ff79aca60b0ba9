// SPDX-License-Identifier: MIT
// QueryText.swift -- "Dog where age > 3 sort name desc limit 10", cut into its parts.
//
// Text is looked at scalar by scalar, as the engine reads it: to Swift a quote is another character if a mark or a
// joiner stands behind it.

/// What a query says, before it is looked up in a file.
struct QueryText {
    struct Sort {
        let path: [String]
        let isDescending: Bool
    }

    let className: String
    var condition: String?
    /// Where the condition begins in the text, in scalars from 0.
    var conditionColumn = 0
    var sorts: [Sort] = []
    var skip: UInt64 = 0
    var limit: UInt64?

    /// The parts that may follow the class, each once, in this order or another.
    private static let keywords = ["where", "sort", "limit", "skip"]

    init(_ text: String) throws(Failure) {
        let words = Self.words(text).flatMap(Self.unfolded)
        guard let first = words.first else {
            throw Failure(.usage, "the query is empty; it begins with the name of a class, as in: Dog where age > 3")
        }
        if first.isOpen { throw Failure(.usage, "at column \(first.column + 1): a quote is never closed") }
        className = Self.name(first.text)
        let marks = words.indices.dropFirst().filter { Self.keywords.contains(words[$0].text.lowercased()) }
        if let stray = words.dropFirst().first, marks.first != 1 {
            throw Failure(
                .usage,
                "at column \(stray.column + 1): expected where, sort, limit or skip behind \(className), "
                    + "not '\(stray.text)'\(Self.spacedName(words[..<(marks.first ?? words.count)].map(\.text)))")
        }
        for (position, mark) in marks.enumerated() {
            let end = position + 1 < marks.count ? marks[position + 1] : words.count
            try take(words[mark], Array(words[(mark + 1)..<end]), text)
        }
    }

    /// That the first words may be the name of a class, if all of them look like parts of one.
    private static func spacedName(_ words: [String]) -> String {
        let isName = words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) } }
        return isName ? "; a class that is called so stands in quotes: '\(words.joined(separator: " "))'" : ""
    }

    private mutating func take(_ keyword: Word, _ rest: [Word], _ text: String) throws(Failure) {
        guard let first = rest.first, let last = rest.last else {
            throw Failure(.usage, "at column \(keyword.column + 1): nothing follows '\(keyword.text)'")
        }
        let isCount = ["limit", "skip"].contains(keyword.text.lowercased())
        if isCount, let stray = rest.dropFirst().first {
            throw Failure(
                .usage, "at column \(stray.column + 1): '\(stray.text)' follows '\(keyword.text) \(first.text)'")
        }
        switch keyword.text.lowercased() {
        case "where":
            guard condition == nil else { throw twice(keyword) }
            conditionColumn = first.column
            condition = String(text.unicodeScalars.dropFirst(first.column).prefix(last.end - first.column))
        case "sort":
            guard sorts.isEmpty else { throw twice(keyword) }
            sorts = try Self.sorts(rest)
        case "limit":
            guard limit == nil else { throw twice(keyword) }
            limit = try Self.number(first)
        default:
            guard skip == 0 else { throw twice(keyword) }
            skip = try Self.number(first)
        }
    }

    private func twice(_ keyword: Word) -> Failure {
        Failure(.usage, "at column \(keyword.column + 1): '\(keyword.text)' stands there twice")
    }

    private static func number(_ word: Word) throws(Failure) -> UInt64 {
        if let number = UInt64(word.text) { return number }
        throw Failure(.usage, "at column \(word.column + 1): '\(word.text)' is no number")
    }

    private static func sorts(_ words: [Word]) throws(Failure) -> [Sort] {
        let rest = words.first?.text.lowercased() == "by" ? words.dropFirst() : words[...]
        let text = rest.map(\.text).joined(separator: " ")
        return try pieces(text, ",").map { part throws(Failure) in
            let pieces = Self.pieces(part, " ")
            let order = pieces.count > 1 ? pieces[1].lowercased() : "asc"
            let isDescending = ["desc", "descending"].contains(order)
            guard let path = pieces.first, pieces.count <= 2, isDescending || ["asc", "ascending"].contains(order)
            else {
                throw Failure(
                    .usage, "a sort is the name of a property, and 'desc' if it descends; not '\(part)'")
            }
            let steps = Self.pieces(path, ".").map { step in
                Self.name(step.utf8.first == UInt8(ascii: "#") ? String(step.unicodeScalars.dropFirst()) : step)
            }
            return Sort(path: steps, isDescending: isDescending)
        }
    }

    /// The pieces between separators that do not stand in quotes, without the empty ones.
    private static func pieces(_ text: String, _ separator: Unicode.Scalar) -> [String] {
        var pieces = ["".unicodeScalars]
        var isQuoted = false
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == separator && !isQuoted {
                pieces.append("".unicodeScalars)
                continue
            }
            if scalar == "'" && !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && scalar == "\\" && !isEscaped
            pieces[pieces.count - 1].append(scalar)
        }
        return pieces.filter { !$0.isEmpty }.map { String($0) }
    }

    // MARK: - Parts of a result

    /// Leaves out so many of the objects that it names, and names so many of the others at most.
    mutating func narrow(skip more: UInt64 = 0, limit most: UInt64? = nil) {
        let left = limit.map { $0 - min($0, more) }
        limit = [left, most].compactMap { $0 }.min()
        let (sum, isTooFar) = skip.addingReportingOverflow(more)
        skip = isTooFar ? .max : sum
    }

    // MARK: - Names

    /// What a name says that may stand in quotes.
    private static func name(_ word: String) -> String {
        let scalars = word.unicodeScalars
        guard scalars.first == "'", scalars.last == "'", scalars.count > 1 else { return word }
        var name = "".unicodeScalars
        var isEscaped = false
        for scalar in scalars.dropFirst().dropLast() {
            isEscaped = scalar == "\\" && !isEscaped
            if !isEscaped { name.append(scalar) }
        }
        return String(name)
    }

    /// Words that mean something where the name of a property may stand.
    private static let meant: Set<String> = [
        "and", "or", "not", "any", "some", "none", "all", "in", "between", "contains", "beginswith", "endswith", "like",
        "matches", "subquery", "self", "true", "yes", "false", "no", "null", "nil", "truepredicate", "falsepredicate",
        "where", "sort", "limit", "skip",
    ]

    /// The name of a class as a query begins with it.
    static func word(ofClass name: String) -> String {
        let isPlain = !name.unicodeScalars.contains { scalar in
            scalar.properties.isWhitespace || "'\"()[]{}\\".unicodeScalars.contains(scalar)
        }
        return isPlain && !name.isEmpty ? name : ObjectKey.quoted(name)
    }

    /// The name of a property as a condition has it.
    static func word(ofProperty name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            byte == 95 || (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
        }
        let isName = isPlain && name.first.map { !$0.isNumber } == true && !meant.contains(name.lowercased())
        return isName ? name : "#" + ObjectKey.quoted(name)
    }

    /// The parts behind the condition, as text.
    var rest: String { (skip > 0 ? " skip \(skip)" : "") + (limit.map { " limit \($0)" } ?? "") }
    var order: String {
        let keys = sorts.map { sort in
            sort.path.map(Self.word(ofProperty:)).joined(separator: ".") + (sort.isDescending ? " desc" : "")
        }
        return keys.isEmpty ? "" : " sort " + keys.joined(separator: ", ")
    }

    /// The words of `SORT(age DESC)` and the like, as queries of Realm have them; others as they are.
    private static func unfolded(_ word: Word) -> [Word] {
        let scalars = word.text.unicodeScalars
        guard let open = scalars.firstIndex(of: "("), scalars.last == ")" else { return [word] }
        let keyword = String(scalars[..<open])
        guard ["sort", "limit", "skip"].contains(keyword.lowercased()) else { return [word] }
        let inside = scalars[scalars.index(after: open)...].dropLast()
        let start = word.column + keyword.unicodeScalars.count + 1
        return [Word(text: keyword, column: word.column)]
            + words(String(inside)).map { Word(text: $0.text, column: $0.column + start) }
    }

    /// A word, or whatever stands in quotes or brackets.
    struct Word {
        let text: String
        /// In scalars from 0.
        let column: Int
        var end: Int { column + text.unicodeScalars.count }
        /// Whether a quote in it is never closed.
        var isOpen = false
    }

    static func words(_ text: String) -> [Word] {
        var words: [Word] = []
        var current = "".unicodeScalars
        var begin = 0
        var depth = 0
        var quote: Unicode.Scalar?
        var isEscaped = false
        func finish() {
            if !current.isEmpty { words.append(Word(text: String(current), column: begin, isOpen: quote != nil)) }
            current = "".unicodeScalars
        }
        for (column, scalar) in text.unicodeScalars.enumerated() {
            if quote == nil && depth == 0 && scalar.properties.isWhitespace {
                finish()
                continue
            }
            if current.isEmpty { begin = column }
            current.append(scalar)
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else if scalar == open {
                    quote = nil
                }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if "([{".unicodeScalars.contains(scalar) {
                depth += 1
            } else if ")]}".unicodeScalars.contains(scalar) {
                depth = max(0, depth - 1)
            }
        }
        finish()
        return words
    }
}
