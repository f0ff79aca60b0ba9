// SPDX-License-Identifier: MIT

/// The fields that are read from a record. All others are passed over, whatever they hold.
enum Field: Int, CaseIterable {
    case package, version, status, architecture, section, priority, installedSize
    case maintainer, description, homepage, source, depends, preDepends, provides

    /// The name as it is written in records.
    var name: String {
        switch self {
        case .package: "Package"
        case .version: "Version"
        case .status: "Status"
        case .architecture: "Architecture"
        case .section: "Section"
        case .priority: "Priority"
        case .installedSize: "Installed-Size"
        case .maintainer: "Maintainer"
        case .description: "Description"
        case .homepage: "Homepage"
        case .source: "Source"
        case .depends: "Depends"
        case .preDepends: "Pre-Depends"
        case .provides: "Provides"
        }
    }

    /// The field called `name`, in capital or small letters; nil if it is not one of those that are read.
    init?(named name: ArraySlice<UInt8>) {
        for (field, known) in Self.lowercaseNames where known.count == name.count {
            if zip(known, name).allSatisfy({ $0 == $1 | 0x20 }) {
                self = field
                return
            }
        }
        return nil
    }

    /// Letters and hyphens have bit 5 set in small letters, so `byte | 0x20` is how a name is folded.
    private static let lowercaseNames = allCases.map { ($0, $0.name.utf8.map { $0 | 0x20 }) }
}

/// What a paragraph says, before it is known to describe a package.
struct Paragraph {
    struct Value {
        /// Where the value is in the file, blanks and line ends of folding included.
        var range: Range<Int>
        var line: Int
    }

    var firstLine: Int
    var values = [Value?](repeating: nil, count: Field.allCases.count)

    subscript(field: Field) -> Value? {
        get { values[field.rawValue] }
        set { values[field.rawValue] = newValue }
    }
}
