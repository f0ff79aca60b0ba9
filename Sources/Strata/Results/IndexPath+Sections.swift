// SPDX-License-Identifier: MIT
// IndexPath+Sections.swift -- the names that UIKit and AppKit give to the parts of an index path of sections.

public import Foundation

extension IndexPath {
    /// The path to an item of a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The path to a row of a section.
    public init(row: Int, section: Int) { self.init(item: row, section: section) }

    /// The first index: which section.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The second index: which item of the section.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The same as `item`.
    public var row: Int {
        get { item }
        set { item = newValue }
    }
}
