// SPDX-License-Identifier: MIT

/// The version of a Debian package, `[epoch:]upstream[-revision]`, ordered as Debian policy orders it.
///
/// Versions that are written differently can be equal: `1.0`, `0:1.0` and `1.0-0` are.
public struct DebianVersion: Sendable {
    /// The version as it was written.
    public let text: String
    package let epoch: Int
    package let upstream: String
    package let revision: String

    /// Returns nil unless `text` is a version: a numeric epoch, a part that is not empty, no foreign characters.
    public init?(_ text: String) {
        var rest = text[...]
        var epoch = 0
        if let colon = rest.firstIndex(of: ":") {
            let digits = rest[..<colon]
            guard digits.utf8.allSatisfy(isDigit), let number = Int32(digits) else { return nil }
            epoch = Int(number)
            rest = rest[rest.index(after: colon)...]
        }
        var revision = ""
        if let hyphen = rest.lastIndex(of: "-") {
            revision = String(rest[rest.index(after: hyphen)...])
            rest = rest[..<hyphen]
            guard !revision.isEmpty, revision.utf8.allSatisfy(isPartOfRevision) else { return nil }
        }
        guard !rest.isEmpty, rest.utf8.allSatisfy(isPartOfUpstream) else { return nil }
        self.text = text
        self.epoch = epoch
        self.upstream = String(rest)
        self.revision = revision
    }
}

extension DebianVersion: Comparable {
    public static func == (left: DebianVersion, right: DebianVersion) -> Bool {
        left.order(against: right) == 0
    }

    public static func < (left: DebianVersion, right: DebianVersion) -> Bool {
        left.order(against: right) < 0
    }

    /// Negative if this version is older than `other`, 0 if they are equal, positive if it is newer.
    private func order(against other: DebianVersion) -> Int {
        if epoch != other.epoch { return epoch - other.epoch }
        let byUpstream = orderOfParts(upstream, other.upstream)
        return byUpstream != 0 ? byUpstream : orderOfParts(revision, other.revision)
    }
}

extension DebianVersion: CustomStringConvertible {
    public var description: String { text }
}

/// Compares two upstream parts or two revisions: runs of other characters and runs of digits, in turns.
private func orderOfParts(_ left: String, _ right: String) -> Int {
    var a = left.utf8[...]
    var b = right.utf8[...]
    while !a.isEmpty || !b.isEmpty {
        let byText = orderOfText(takeText(&a), takeText(&b))
        if byText != 0 { return byText }
        let byNumber = orderOfNumbers(takeNumber(&a), takeNumber(&b))
        if byNumber != 0 { return byNumber }
    }
    return 0
}

private typealias Bytes = Substring.UTF8View

/// Takes the characters before the first digit off the front of `part`.
private func takeText(_ part: inout Bytes) -> Bytes {
    let end = part.firstIndex(where: isDigit) ?? part.endIndex
    defer { part = part[end...] }
    return part[..<end]
}

/// Takes the digits off the front of `part`, without leading zeros. No digits are the number zero.
private func takeNumber(_ part: inout Bytes) -> Bytes {
    let end = part.firstIndex { !isDigit($0) } ?? part.endIndex
    defer { part = part[end...] }
    return part[..<end].drop { $0 == UInt8(ascii: "0") }
}

/// Character by character: `~` comes before the end, the end before letters, letters before all others.
private func orderOfText(_ left: Bytes, _ right: Bytes) -> Int {
    var a = left.makeIterator()
    var b = right.makeIterator()
    while true {
        let x = a.next()
        let y = b.next()
        if x == nil && y == nil { return 0 }
        let difference = weight(x) - weight(y)
        if difference != 0 { return difference }
    }
}

/// Without leading zeros the longer number is the larger one, whatever its size.
private func orderOfNumbers(_ left: Bytes, _ right: Bytes) -> Int {
    if left.count != right.count { return left.count - right.count }
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
}

private func weight(_ byte: UInt8?) -> Int {
    guard let byte else { return 0 }
    if byte == UInt8(ascii: "~") { return -1 }
    return isLetter(byte) ? Int(byte) : Int(byte) + 256
}

private func isPartOfRevision(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "~")
}

private func isPartOfUpstream(_ byte: UInt8) -> Bool {
    isPartOfRevision(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
}
