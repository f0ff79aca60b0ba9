// SPDX-License-Identifier: MIT

/// Reads the records of a Debian package list, one after the other, from its bytes.
///
/// A record is a paragraph of `Field: value` lines; a line that begins with a blank continues the field before
/// it; lines that are empty or blank separate records. Lines may end in LF or CR LF and be of any length, and
/// the last one needs no end. Whatever is wrong with a record costs that record and no other.
public struct RecordReader: Sequence, IteratorProtocol {
    public typealias Element = Result<PackageRecord, RecordProblem>

    /// How many bytes were read.
    public private(set) var position = 0
    private let bytes: [UInt8]
    private let file: String
    private var line = 0

    /// `file` is the name that problems are reported with.
    public init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if bytes.starts(with: byteOrderMark) { position = byteOrderMark.count }
    }

    /// The next record, or why it was skipped; nil at the end.
    public mutating func next() -> Element? {
        guard let first = firstLineOfRecord() else { return nil }
        var paragraph = Paragraph(firstLine: line)
        var problem: RecordProblem?
        var field: Field?
        var isInField = false
        var current: Range<Int>? = first
        while let range = current, !isSeparator(range) {
            if problem == nil {
                do throws(RecordProblem) {
                    try add(range, to: &paragraph, field: &field, isInField: &isInField)
                } catch {
                    problem = error
                }
            }
            current = nextLine()
        }
        if let problem { return .failure(problem) }
        do throws(RecordProblem) {
            return .success(try PackageRecord(paragraph, in: bytes, file: file))
        } catch {
            return .failure(error)
        }
    }

    private mutating func firstLineOfRecord() -> Range<Int>? {
        while let range = nextLine() {
            if !isSeparator(range) { return range }
        }
        return nil
    }

    /// The next line without its end; nil at the end of the file.
    private mutating func nextLine() -> Range<Int>? {
        guard position < bytes.count else { return nil }
        let start = position
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        position = Swift.min(end + 1, bytes.endIndex)
        line += 1
        return start..<end
    }

    private func isSeparator(_ range: Range<Int>) -> Bool {
        bytes[range].allSatisfy(isBlank)
    }

    /// Adds one line to the paragraph. `field` is the field it may continue: nil if that is one not read.
    private func add(
        _ range: Range<Int>, to paragraph: inout Paragraph, field: inout Field?, isInField: inout Bool
    ) throws(RecordProblem) {
        if isBlank(bytes[range.lowerBound]) {
            guard isInField else { throw problem("a continuation line before any field") }
            if let field, let value = paragraph[field] {
                paragraph[field]?.range = value.range.lowerBound..<range.upperBound
            }
            return
        }
        guard let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")), isFieldName(bytes[range.lowerBound..<colon])
        else { throw problem("neither a field nor a continuation line: \(quoted(bytes[range]))") }
        isInField = true
        field = Field(named: bytes[range.lowerBound..<colon])
        guard let field else { return }
        guard paragraph[field] == nil else { throw problem("the field \(field.name) is given twice") }
        paragraph[field] = Paragraph.Value(range: (colon + 1)..<range.upperBound, line: line)
    }

    private func isFieldName(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "#") else { return false }
        return name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private func problem(_ reason: String) -> RecordProblem {
        RecordProblem(file: file, line: line, reason: reason)
    }
}

/// Bytes as part of a message: valid, on one line, and not too long.
func quoted(_ bytes: some Collection<UInt8>) -> String {
    let limit = 60
    let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
    let printable = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : String($0) }
    return "\"" + printable.joined() + "\"" + (bytes.count > limit ? "..." : "")
}
