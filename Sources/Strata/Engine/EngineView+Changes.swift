// SPDX-License-Identifier: MIT
// EngineView+Changes.swift -- what an open write has changed.

import CStrata

/// What a write has done to an object that is still there.
enum EngineChange {
    case created
    /// The column was assigned, or the collection in it was changed.
    case changed(UInt32)
}

extension EngineView {
    /// Has the engine log what writes change, from the next one on. The corresponding C function is
    /// `strata_view_log_changes`.
    func logChanges() throws(StrataError) { try check(strata_view_log_changes(handle, true, error)) }

    /// What the open write has changed up to now. The corresponding C function is `strata_view_changes`.
    func changes() throws(StrataError) -> EngineWriteChanges {
        var out: OpaquePointer?
        try check(strata_view_changes(handle, &out, error))
        guard let out else { throw StrataError(.fail, "the engine told no changes") }
        return EngineWriteChanges(self, out)
    }
}

/// The changes of a write, up to when it was asked for them. Keeps its view alive.
final class EngineWriteChanges {
    private let view: EngineView
    private let handle: OpaquePointer

    fileprivate init(_ view: EngineView, _ handle: OpaquePointer) {
        self.view = view
        self.handle = handle
    }

    deinit { strata_commit_free(handle) }

    /// Whether there were too many to list them. The corresponding C function is `strata_commit_get_info`.
    func areTooMany() throws(StrataError) -> Bool {
        var info = strata_commit_info_blank()
        try view.check(strata_commit_get_info(handle, &info, view.error))
        return info.flags & UInt32(STRATA_COMMIT_WHOLE) != 0
    }

    /// Calls a closure for each object that was created, and for each column of the others that was changed, in the
    /// order of tables and keys. The corresponding C functions are `strata_commit_rewind` and `strata_commit_next`.
    func forEach(_ body: (_ table: UInt32, _ key: UInt64, EngineChange) throws -> Void) throws {
        strata_commit_rewind(handle)
        var delta = strata_delta()
        while try view.check(strata_commit_next(handle, &delta, view.error)) {
            switch delta.kind {
            case .STRATA_DELTA_CREATE: try body(delta.table, delta.key, .created)
            case .STRATA_DELTA_ASSIGN, .STRATA_DELTA_INSERT, .STRATA_DELTA_SET, .STRATA_DELTA_REMOVE:
                try body(delta.table, delta.key, .changed(delta.column))
            default: break
            }
        }
    }
}
