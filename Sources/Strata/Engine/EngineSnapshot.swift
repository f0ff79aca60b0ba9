// SPDX-License-Identifier: MIT
// EngineSnapshot.swift -- a commit that is kept, and read by all threads at once.

import CStrata
import Foundation

/// A commit that every thread may read.
///
/// Rows that are bound to it are read by all threads at the same time. Whatever needs more than the row is read through
/// a view of the calling thread, its *reader*, which is opened when the thread first needs one.
///
/// Invariant: a reader is used by its thread only. It is released with the snapshot, or when its thread ends.
final class EngineSnapshot: @unchecked Sendable {
    /// What one thread reads the snapshot with.
    final class Reader {
        let view: EngineView
        let arena = ValueArena()
        /// What the layer above keeps for the thread; this one does not look at it.
        var attachment: AnyObject?

        fileprivate init(_ view: EngineView) { self.view = view }
    }

    let store: EngineStore
    /// Number of the commit.
    let version: UInt64
    private let handle: OpaquePointer
    private let readers = Readers()

    /// Keeps what a view shows; while it writes, what it showed before. The C function is `strata_view_freeze`.
    init(_ view: EngineView) throws(StrataError) {
        var out: OpaquePointer?
        try view.check(strata_view_freeze(view.handle, &out, view.error))
        guard let out else { misuse("strata_view_freeze() gave no view") }
        store = view.store
        handle = out
        version = strata_view_version(out)
    }

    deinit {
        readers.removeAll()
        strata_view_close(handle)
    }

    /// The reader of the calling thread.
    @inline(__always)
    var reader: Reader {
        if let found = ThreadReaders.current?.find(readers) { return found }
        return openReader()
    }

    /// The corresponding C function is `strata_view_open_frozen`.
    @inline(never)
    private func openReader() -> Reader {
        do throws(StrataError) {
            let reader = Reader(try EngineView(store, frozen: handle))
            readers.add(reader)
            ThreadReaders.make().add(reader, of: readers)
            return reader
        } catch {
            misuse("a frozen realm cannot be read on this thread: \(error.message)")
        }
    }

    /// Makes a row that was bound by the reader of this thread one that all threads may read.
    func share(_ row: _Row) {
        let head = UnsafePointer<EngineViewHead>(handle)
        row.pointee.head = head
        row.pointee.epoch = row.pointee.block == nil ? 0 : head.pointee.epoch
    }

    /// Whether a row is one that all threads may read.
    static func isShared(_ row: _Row) -> Bool { row.pointee.head.pointee.owner == UInt(STRATA_EVERY_THREAD) }
}

/// The readers of one snapshot. Outlives the snapshot while a thread remembers it, and is empty then.
private final class Readers: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [EngineSnapshot.Reader] = []  // guarded by `lock`
    private var isClosed = false  // guarded by `lock`

    func add(_ reader: EngineSnapshot.Reader) { lock.withLock { all.append(reader) } }

    func remove(_ reader: Unmanaged<EngineSnapshot.Reader>) {
        let address = reader.toOpaque()
        let gone = lock.withLock {
            all.firstIndex { Unmanaged.passUnretained($0).toOpaque() == address }.map { all.remove(at: $0) }
        }
        withExtendedLifetime(gone) {}  // released behind the lock
    }

    func removeAll() {
        let gone = lock.withLock {
            isClosed = true
            return (all, all = []).0
        }
        withExtendedLifetime(gone) {}
    }

    var isOver: Bool { lock.withLock { isClosed } }
}

/// The readers of one thread.
private final class ThreadReaders {
    private struct Entry {
        let readers: Readers
        /// Owned by `readers`; not to be used once these are over.
        let reader: Unmanaged<EngineSnapshot.Reader>
    }
    /// The one that was used last is the first.
    private var entries: [Entry] = []

    @inline(__always)
    func find(_ readers: Readers) -> EngineSnapshot.Reader? {
        if let first = entries.first, first.readers === readers { return first.reader.takeUnretainedValue() }
        guard let index = entries.firstIndex(where: { $0.readers === readers }) else { return nil }
        entries.swapAt(0, index)
        return entries[0].reader.takeUnretainedValue()
    }

    /// Forgets those that are over, so that a thread remembers no more than there are.
    func add(_ reader: EngineSnapshot.Reader, of readers: Readers) {
        entries.removeAll { $0.readers.isOver }
        entries.insert(Entry(readers: readers, reader: .passUnretained(reader)), at: 0)
    }

    deinit { for entry in entries { entry.readers.remove(entry.reader) } }

    // MARK: The thread

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { readers in
            if let readers { Unmanaged<ThreadReaders>.fromOpaque(readers).release() }
        }
        if status != 0 { misuse("the process has used up its keys of thread-specific values") }
        return key
    }()

    @inline(__always)
    static var current: ThreadReaders? {
        pthread_getspecific(slot).map { Unmanaged<ThreadReaders>.fromOpaque($0).takeUnretainedValue() }
    }

    static func make() -> ThreadReaders {
        if let current { return current }
        let readers = ThreadReaders()
        pthread_setspecific(slot, Unmanaged.passRetained(readers).toOpaque())
        return readers
    }
}
