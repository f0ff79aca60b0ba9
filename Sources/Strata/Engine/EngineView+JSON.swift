// SPDX-License-Identifier: MIT
// EngineView+JSON.swift -- objects as JSON, written by the engine.

import CStrata
import Foundation

extension EngineView {
    /// Objects of a table as an array of JSON, in this order; keys of no objects are left out. The corresponding C
    /// function is `strata_export_keys`, in the format `STRATA_TEXT_ARRAY`.
    ///
    /// - Parameter columns: the columns that are written, at least one.
    func json(_ keys: EngineKeys, in table: UInt32, columns: [UInt32]) throws(StrataError) -> Data {
        var options = strata_export_options_blank()
        options.format = .STRATA_TEXT_ARRAY
        options.column_count = UInt32(columns.count)
        return try columns.withUnsafeBufferPointer { columns throws(StrataError) in
            options.columns = columns.baseAddress
            var text = Data()
            try withUnsafeMutablePointer(to: &text) { text throws(StrataError) in
                var export: OpaquePointer?
                defer { strata_export_close(export) }
                try check(strata_export_open(handle, &options, appendText, text, &export, error))
                try check(strata_export_keys(export, table, keys.pointer, UInt64(keys.count), error))
                try check(strata_export_end(export, error))
            }
            return text
        }
    }
}

/// Appends a piece of text to the data that `context` points to.
private func appendText(_ context: UnsafeMutableRawPointer?, _ text: UnsafeRawPointer?, _ size: Int) -> Bool {
    if let context, let text {
        context.assumingMemoryBound(to: Data.self).pointee.append(
            text.assumingMemoryBound(to: UInt8.self), count: size)
    }
    return true
}
