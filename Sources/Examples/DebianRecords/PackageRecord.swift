// SPDX-License-Identifier: MIT

/// One package, as one record of a package list describes it.
public struct PackageRecord: Sendable {
    public var name: String
    public var version: DebianVersion
    public var state: State
    public var architecture: String
    public var section: String
    public var priority: String
    /// In bytes; 0 if the record does not say.
    public var installedSize: Int
    public var maintainer: Contact?
    /// The first line of the description.
    public var summary: String
    public var homepage: String?
    /// The source package this one is built from; often called the same.
    public var source: String
    /// `Pre-Depends`, then `Depends`.
    public var dependencies: [Relation]
    /// The virtual packages that this one stands for.
    public var provides: [String]

    public enum State: Sendable {
        /// A record without `Status`: the package can be had.
        case available
        /// On this system, if only in part.
        case installed
        /// Only remembered by dpkg: removed, or never there.
        case absent
    }

    public struct Contact: Equatable, Sendable {
        public var name: String
        /// Empty if the field has none.
        public var address: String

        public init(name: String, address: String) {
            self.name = name
            self.address = address
        }
    }
}

extension PackageRecord {
    /// No value may be larger, because a store takes none that is: 16 MiB.
    public static let largestValue = 16 << 20

    /// Throws the first thing that is wrong with the record.
    init(_ paragraph: Paragraph, in bytes: [UInt8], file: String) throws(RecordProblem) {
        let values = FieldReader(paragraph: paragraph, bytes: bytes, file: file)
        name = try values.name()
        state = try values.state()
        version = try values.version(mayBeMissing: state == .absent)
        architecture = try values.text(.architecture) ?? ""
        section = try values.text(.section) ?? ""
        priority = try values.text(.priority) ?? ""
        installedSize = try values.installedSize()
        maintainer = try values.maintainer()
        summary = try values.text(.description, firstLineOnly: true) ?? ""
        homepage = try values.text(.homepage)
        source = try values.source() ?? name
        dependencies = try values.relations(.preDepends) + values.relations(.depends)
        provides = try values.relations(.provides).map(\.first)
    }
}
