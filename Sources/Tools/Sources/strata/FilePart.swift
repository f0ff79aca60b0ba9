// SPDX-License-Identifier: MIT
// FilePart.swift -- what the bytes of a file are for.

import CStrata
import Glibc

/// A part of a file.
struct FilePart {
    let name: String
    let size: UInt64

    /// What makes up the bytes in use.
    static func used(_ stats: strata_store_stats) -> [FilePart] {
        let data = [
            FilePart(name: "objects", size: stats.row_size),
            FilePart(name: "long collections", size: stats.collection_size),
            FilePart(name: "large values", size: stats.blob_size),
            FilePart(name: "indexes", size: stats.index_size),
            FilePart(name: "links", size: stats.link_size),
            FilePart(name: "records of commits", size: stats.change_size),
        ]
        return data + [FilePart(name: "catalog", size: stats.used_size - data.reduce(0) { $0 + $1.size })]
    }

    /// What makes up the rest.
    static func free(_ stats: strata_store_stats) -> [FilePart] {
        [
            FilePart(name: "held by snapshots", size: stats.held_size),
            FilePart(name: "free", size: stats.free_size - stats.held_size),
        ]
    }

    /// The bytes of the log beside a file; nil if there is none.
    static func log(beside path: String) -> UInt64? {
        var info = stat()
        return stat(path + "-log", &info) == 0 ? UInt64(info.st_size) : nil
    }
}
