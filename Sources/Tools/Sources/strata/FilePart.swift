// SPDX-License-Identifier: MIT
// FilePart.swift -- what the bytes of a file are for.

import CStrata
import Glibc

/// A part of a file, or the log beside it.
struct FilePart {
    let name: String
    let size: UInt64

    /// The parts that make up the file, largest kinds of data first, and then what is free.
    static func parts(of stats: strata_store_stats) -> [FilePart] {
        let data: [(String, UInt64)] = [
            ("objects", stats.row_size), ("long collections", stats.collection_size),
            ("large values", stats.blob_size), ("indexes", stats.index_size), ("links", stats.link_size),
            ("records of commits", stats.change_size),
        ]
        let rest = stats.used_size - data.reduce(0) { $0 + $1.1 }
        let free = [("held by snapshots", stats.held_size), ("free", stats.free_size - stats.held_size)]
        return (data + [("catalog", rest)] + free).map { FilePart(name: $0.0, size: $0.1) }
    }

    /// The bytes of the log beside a file; nil if there is none.
    static func log(beside path: String) -> UInt64? {
        var info = stat()
        return stat(path + "-log", &info) == 0 ? UInt64(info.st_size) : nil
    }
}
