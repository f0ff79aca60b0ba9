// SPDX-License-Identifier: MIT
// Session.swift -- an open realm of a thread, a queue or an actor: its view, its classes, its write transaction.

import Foundation

/// An open realm of one isolation domain. Objects, collections and `Realm` values share it and keep it alive; while it
/// writes, so does the scope of the thread in which the write began.
///
/// Invariant: every change goes through `record`, or through `beginChange` and `fail`. If a change fails because of its
/// data, or because of the disk, the session remembers the failure and ignores all later changes; the end of the
/// transaction then rolls back and throws that failure.
final class Session {
    /// Nil if the session is frozen.
    private let liveView: EngineView?
    /// The commit that the session shows for ever; nil if it is live. Every thread uses a frozen session, at the same
    /// time: so nothing in it changes, and what must is in the reader of the thread.
    let snapshot: EngineSnapshot?
    let domain: IsolationDomain
    let isReadOnly: Bool
    /// Whether the session is one of a migration: links lead to objects that are used by the names of their properties.
    let isMigration: Bool
    let schema: Schema
    private let liveArena = ValueArena()
    /// The session of the commit that was frozen last, while anything of it is in use.
    private(set) weak var latestFrozen: Session?
    /// How often embedded objects were deleted because they were replaced.
    var embeddedDeletions: UInt64 = 0
    /// The lists and maps inside of values of any type that the program holds.
    let nested = NestedHandles()
    let classes = SessionClasses()
    /// The version of the schema in which the columns of the classes were last found.
    private let schemaVersion: UInt64
    /// Called when the session ends.
    var onClose: (() -> Void)?
    /// Who observes the realm, or something of it; nil if nobody does.
    var observers: SessionObservers?
    /// What the layer above opened the session with; the session does not look at it.
    var configuration: Any?
    /// See `Realm.Configuration.maximumNumberOfActiveVersions`.
    var mostVersions: UInt?
    /// See `Realm.autorefresh`.
    var autorefresh = true
    /// The commit that the session showed before it gave its version of the file back; nil while it holds one.
    private var rested: UInt64?

    /// Grows with everything that may change what a query returns. See `Cached`.
    @exclusivity(unchecked) var changeCount: UInt64 = 1
    /// Grows when a write begins or ends, and when the realm is invalidated. Each object remembers in which generation
    /// it was made.
    @exclusivity(unchecked) private(set) var generation: UInt64 = 1
    /// Objects of earlier generations are invalid.
    @exclusivity(unchecked) private(set) var invalidatedAt: UInt64 = 0
    @exclusivity(unchecked) private(set) var isWriting = false
    /// What the last write handed over, if it was a queued one that did.
    private(set) var handedOver: HandedOver?
    /// How many writes were handed over, and may be in the file or not.
    var handedOverCount = 0
    /// Whether the write that is open is a queued one.
    private(set) var isQueued = false
    /// Blocks that wait for a write transaction, of programs that use them.
    private(set) lazy var asyncWrites = AsyncWrites(self)
    /// Whether there may be any.
    var hasAsyncWrites = false
    /// Why the session cannot move to the newest commit: another program has changed its classes there.
    private(set) var outdated: StrataError?
    /// Whether changes are allowed: in a write, except while objects are asked whether they agree.
    @exclusivity(unchecked) private var mayChange = false
    /// The objects that are asked before they are stored or deleted; nil if there are none.
    private(set) var validation: Validation?
    /// Whether the write failed because of data, so that the engine can go on with it.
    var failedForData: Bool { refusal != nil || failure?.code == .invalidInput }
    /// The first change of this write that failed; all changes after it are ignored.
    @exclusivity(unchecked) private(set) var failure: StrataError?
    /// What an object threw that must not be deleted, if that is the failure.
    private var refusal: (any Error)?
    /// By their tables, the objects that stand for what this write could not create.
    var standIns: [UInt32: UInt64] = [:]
    /// Loops over collections that have not read everything yet.
    let openIterators = OpenIterators()
    /// What stops queries; nil until the program limits one.
    var queryLimits: QueryLimits? {
        get {
            guard let snapshot else { return liveLimits }
            return snapshot.reader.attachment.map { unsafeDowncast($0, to: QueryLimits.self) }
        }
        set { if let snapshot { snapshot.reader.attachment = newValue } else { liveLimits = newValue } }
    }
    private var liveLimits: QueryLimits?

    /// Opens a view on a store and makes it hold some classes.
    ///
    /// - Parameter applied: what another session of the same classes has done to the file.
    /// - Throws: what the schema, or applying it to the file, throws.
    init(
        _ store: EngineStore, _ layouts: [ClassLayout], version: UInt64, readOnly: Bool,
        domain: IsolationDomain = .here, applied: AppliedSchema? = nil
    ) throws(StrataError) {
        self.domain = domain
        let applied = applied?.store.handle == store.handle ? applied : nil
        schema = applied?.schema ?? Schema(layouts.map(\.schema))
        isReadOnly = readOnly
        isMigration = false
        if applied == nil {
            try schema.validate(layouts.flatMap(\.problems) + ProjectedProperties.problems(of: layouts))
        }
        let view = try EngineView(store)
        liveView = view
        snapshot = nil
        view.setLabel(domain.label)
        if view.schemaVersion != applied?.fileVersion {
            let isLater = applied != nil && view.schemaVersion > version
            let isThere = isLater ? try Self.hasAll(of: schema, view) : false
            if !isThere { try view.apply(schema.declaration, version: version) }
        }
        schemaVersion = view.schemaVersion
        classes.begin(self, layouts)
        try view.keep(classes.all.map(\.table), columns: classes.all.map { UInt32($0.columnCount) })
        validation = Validation(classes.all)
        if validation != nil { try view.logChanges() }
    }

    /// Whether the file has the classes, and perhaps more. If another program has brought it to a later version which
    /// has, then this one may open further sessions of it, as those that are open go on.
    private static func hasAll(of schema: Schema, _ view: EngineView) throws(StrataError) -> Bool {
        for difference in try SchemaDifference.find(view, schema) where !difference.isMore { return false }
        return true
    }

    /// The session of a migration, whose write the view has begun.
    init(migrating view: EngineView, _ layouts: [ClassLayout], _ schema: Schema) {
        domain = .here
        isReadOnly = false
        isMigration = true
        self.schema = schema
        liveView = view
        snapshot = nil
        schemaVersion = view.schemaVersion
        classes.begin(self, layouts)
        writeBegan()
    }

    /// A frozen session of what a view shows, whose objects are used only by the names of their properties.
    init(before view: EngineView, _ schema: Schema) throws(StrataError) {
        domain = .here
        isReadOnly = true
        isMigration = true
        self.schema = schema
        liveView = nil
        autorefresh = false
        schemaVersion = view.schemaVersion
        snapshot = try EngineSnapshot(view)
        classes.begin(self, [])
        _ = classes.aliases  // made before other threads look for them
    }

    /// A frozen session.
    private init(_ snapshot: EngineSnapshot, of live: Session) {
        liveView = nil
        self.snapshot = snapshot
        domain = live.domain
        schema = live.schema
        isReadOnly = live.isReadOnly
        isMigration = live.isMigration
        configuration = live.configuration
        autorefresh = false
        schemaVersion = live.schemaVersion
        classes.begin(self, live.classes.all.map(\.layout))
        _ = classes.aliases  // made before other threads look for them
    }

    /// A session of what this one shows, or showed before its write, which never changes.
    func freeze() -> Session {
        if isFrozen { return self }
        checkThread()
        if isQueued {
            misuse(
                "nothing can be frozen inside of asyncWrite and the like, which may share a transaction with other "
                    + "writes; freeze it before the write or after it")
        }
        let version = committedVersion
        if let latestFrozen, latestFrozen.version == version { return latestFrozen }
        let frozen = read("freeze()") { () throws(StrataError) in Session(try EngineSnapshot(view), of: self) }
        latestFrozen = frozen
        return frozen
    }

    /// Whether the session shows one commit for ever.
    var isFrozen: Bool { snapshot != nil }

    /// Number of the commit that the session shows.
    var version: UInt64 { snapshot?.version ?? view.version }

    /// Number of the commit that the session shows, or showed before its write: a write begins at the newest commit, and
    /// its own will have the next number.
    var committedVersion: UInt64 { isWriting ? view.version &- 1 : view.version }

    var view: EngineView {
        @inline(__always) get { liveView ?? frozenView }
    }

    @inline(never)
    private var frozenView: EngineView {
        guard let snapshot else { misuse("a session has neither a view nor a snapshot") }
        return snapshot.reader.view
    }

    var arena: ValueArena { snapshot?.reader.arena ?? liveArena }

    /// True for the same session, and for frozen ones of the same commit.
    func isSame(as other: Session) -> Bool {
        if self === other { return true }
        guard let snapshot, let theirs = other.snapshot else { return false }
        return snapshot.version == theirs.version && snapshot.store.isSame(as: theirs.store)
    }

    /// True for sessions that are the same, and for a frozen one and a live one of the same store.
    func sharesObjects(with other: Session) -> Bool {
        isSame(as: other) || isFrozen != other.isFrozen && store.isSame(as: other.store)
    }

    /// Hashes what `isSame` compares.
    func hash(into hasher: inout Hasher) {
        if let snapshot { hasher.combine(snapshot.version) } else { hasher.combine(ObjectIdentifier(self)) }
    }

    deinit { onClose?() }

    /// For other sessions of the same classes, which need not do it again.
    var applied: AppliedSchema { AppliedSchema(store: view.store, schema: schema, fileVersion: schemaVersion) }

    // MARK: Threads

    /// Stops the program if the caller does not run in the domain of the realm. If it runs there on another thread than
    /// before, as code on an actor does after each `await`, the realm moves to that thread.
    /// If it holds no version of the file, it takes the newest.
    @inline(__always)
    func checkThread(_ what: () -> String = { "the realm" }) {
        if let liveView, !liveView.isOfThisThread { changeThread(what()) }
    }

    /// Does what `checkThread` does, and notices the wrong domain also on the thread on which the right one ran last.
    ///
    /// - Parameter wakes: whether something will be read, so that a version of the file is needed.
    func checkDomain(_ what: String = "the realm", wakes: Bool = true) {
        if isFrozen { return }
        if let liveView, !liveView.isOfThisThread { changeThread(what, wakes: wakes) }
        if !domain.isCurrent { wrongDomain(what) }
    }

    @inline(never)
    private func changeThread(_ what: @autoclosure () -> String, wakes: Bool = true) {
        if !domain.isCurrent { wrongDomain(what()) }
        if isWriting {
            misuse(
                "\(what()) is used on another thread than the one on which the write transaction was begun; end it "
                    + "before the next await, or write inside of write { }")
        }
        view.adopt()
        if wakes && isResting { takeNewest() }
    }

    private func wrongDomain(_ what: String) -> Never {
        misuse(
            "\(what) belongs to \(domain.name)\(domain.isActor ? ", for which it was opened" : ""); open a realm of its "
                + "own \(IsolationDomain.caller), and pass a ThreadSafeReference, what freeze() or snapshot() gives, or "
                + "a primary key")
    }

    // MARK: Reading

    /// Runs a read. It fails only if the file is damaged or a query is wrong, and then the program stops.
    func read<R>(_ what: @autoclosure () -> String, _ body: () throws(StrataError) -> R) -> R {
        checkThread()
        do {
            return try body()
        } catch {
            misuse("\(what()) failed: \(reason(error).message)")
        }
    }

    /// Why a read failed: a session that shows nothing, because another program has changed the classes, says so.
    func reason(_ error: StrataError) -> StrataError { isResting ? outdated ?? error : error }

    // MARK: Writing

    /// Stops the program unless a write transaction is open.
    @inline(__always)
    func requireWriting(_ what: () -> String) {
        if !mayChange { refuseWrite(what()) }
    }

    private func refuseWrite(_ what: String) -> Never {
        requireNoValidation(what)
        misuse(
            isFrozen && isMigration
                ? "\(what) in an object as the file had it; change the new one, the second that the block is given"
                : isFrozen
                ? "\(what) in a frozen realm, which never changes; change what thaw() gives"
                : "\(what) outside of a write transaction; wrap it in realm.write { }")
    }

    /// Runs code of the program that may read, and must not change anything.
    func whileValidating<Result>(_ body: () throws -> Result) rethrows -> Result {
        mayChange = false
        defer { mayChange = true }
        return try body()
    }

    private func requireNoValidation(_ what: String) {
        if isWriting && !mayChange {
            misuse(
                "\(what) inside of the validation of an object, which may only read and throw; change the object "
                    + "before, where the write changes it")
        }
    }

    /// Stops the program if the session is frozen.
    func requireLive(_ what: String) {
        if isFrozen { misuse("\(what) on a frozen realm, which never changes; use what thaw() gives") }
    }

    /// Must be called before a change; false if the change must be ignored, because an earlier one failed.
    @inline(__always)
    func beginChange() -> Bool {
        if failure != nil { return false }
        willChange()
        return true
    }

    /// Must be called before rows are changed.
    @inline(__always)
    func willChange() {
        if !openIterators.isEmpty { openIterators.readAll() }
        changeCount &+= 1
    }

    /// Runs a change, unless an earlier one failed. A write transaction must be open.
    func record(_ body: () throws(StrataError) -> Void) {
        guard beginChange() else { return }
        do {
            try body()
        } catch {
            failure = error
        }
    }

    /// Makes the write transaction fail, unless an earlier change did.
    func fail(_ error: StrataError) { failure = failure ?? error }

    /// The same for a value that does not fit. Stops the program where nothing can be changed.
    ///
    /// - Parameter what: what cannot be done then.
    func fail(_ error: StrataError, _ what: () -> String) {
        checkThread()
        requireWriting(what)
        fail(error)
    }

    /// Makes the write transaction fail with what an object threw that must not be deleted.
    func refuse(_ error: any Error, _ object: String) {
        if failure != nil { return }
        failure = StrataError(.fail, "\(object) must not be deleted: \(error)")
        refusal = error
    }

    /// Begins a write transaction. If that fails, the error is thrown, or, if `deferred`, thrown at its end.
    ///
    /// - Parameter milliseconds: how long it waits for other writers; nil for as long as the store was opened with.
    func begin(deferred: Bool, within milliseconds: UInt32? = nil) throws(StrataError) {
        requireLive("a write transaction is begun")
        checkDomain(wakes: false)
        if isWriting {
            misuse(
                "a write transaction is begun inside of another; end that one first, which may have been begun on this "
                    + "thread by a beginWrite() that nothing ended")
        }
        if isReadOnly { misuse("the realm is open for reading only; open it with readOnly = false to write") }
        if domain.isClosure { misuse("a write is begun inside of RealmStore.read; use RealmStore.write") }
        openIterators.readAll()
        do {
            if let milliseconds { try view.begin(within: milliseconds) } else { try view.begin() }
            if let mostVersions { try view.store.check(mostVersions: mostVersions) }
        } catch {
            if !deferred {
                view.cancel()
                if isResting { view.rest() }
                throw error
            }
            failure = error
            if isResting { takeNewest() }  // the program goes on, and may read
        }
        if failure == nil { (outdated, rested) = (nil, nil) }
        writeBegan()
        if failure == nil { observers?.tell(tellsFirst: false) }
    }

    /// Begins a write that was granted; false if the grant was withdrawn.
    func begin(_ write: EngineQueuedWrite) throws(StrataError) -> Bool {
        checkDomain()
        if isWriting {
            misuse("a queued write begins inside of another write transaction; end that one before the await")
        }
        openIterators.readAll()
        guard try view.begin(write) else { return false }
        do {
            if let mostVersions { try view.store.check(mostVersions: mostVersions) }
        } catch {
            view.cancel()
            throw error
        }
        isQueued = true
        handedOver = nil
        writeBegan()
        return true
    }

    /// Whether the write that is open has changed anything.
    var hasChanged: Bool { isWriting && changeCount != writeBeganAt }
    private var writeBeganAt: UInt64 = 0

    private func writeBegan() {
        beginGeneration()
        writeBeganAt = changeCount
        isWriting = true
        mayChange = true
        if let failure = queryLimits?.failure { fail(failure) }
        ThreadScope.current.keep(self)
    }

    /// Ends the write transaction: asks the objects that it created and changed, and makes the changes durable, or
    /// rolls back and throws the first failure.
    ///
    /// - Parameter silent: who is told nothing of the changes.
    func commit(except silent: [Observation] = []) throws {
        requireLive("commitWrite()")
        checkThread()
        if !isWriting { misuse("commitWrite() outside of a write transaction; call beginWrite() first") }
        requireNoValidation("commitWrite()")
        do {
            if let refusal { throw refusal }
            if failure == nil { try validation?.check(self) }
        } catch {
            cancel()
            throw error
        }
        try commitUnasked(except: silent)
    }

    /// Ends the write transaction without asking its objects: makes its changes durable, or rolls back and throws the
    /// first failure.
    func commitUnasked(except silent: [Observation] = []) throws(StrataError) {
        if let failure {
            cancel()
            throw failure
        }
        openIterators.readAll()
        do {
            try view.commit()
        } catch {
            rolledBack()
            throw error
        }
        let isHandedOver = isQueued
        if isHandedOver {
            handedOver = HandedOver(generation, classes.all.map(\.firstCreated))
            handedOverCount += 1
        }
        for managed in classes.all { managed.firstCreated = 0 }
        nested.commit()
        writeEnded()
        if !isHandedOver { observers?.committed(except: silent) }
    }

    /// Ends the write transaction and drops its changes.
    func cancel() {
        requireLive("cancelWrite()")
        checkThread()
        if !isWriting { misuse("cancelWrite() outside of a write transaction; call beginWrite() first") }
        requireNoValidation("cancelWrite()")
        openIterators.readAll()
        view.cancel()
        rolledBack()
    }

    private func rolledBack() {
        for managed in classes.all { managed.rollBack(generation) }
        nested.rollBack()
        failure = nil
        refusal = nil
        standIns = [:]
        if isResting { view.rest() }  // it could not even begin
        writeEnded()
        observers?.cancelled()
    }

    private func writeEnded() {
        isWriting = false
        mayChange = false
        isQueued = false
        beginGeneration()
        ThreadScope.current.release(self)
        if hasAsyncWrites { asyncWrites.writeEnded() }
    }

    private func beginGeneration() {
        generation &+= 1
        changeCount &+= 1
    }

    /// Writes what the session shows to a new file.
    func writeCopy(to url: URL) throws(StrataError) {
        checkDomain()
        if let failure { throw failure }
        if isWriting { openIterators.readAll() }
        do throws(StrataError) {
            try view.copy(to: url.path)
        } catch {
            let error = reason(error)
            throw StrataError(error.code, error.message, systemCode: error.systemCode, fileURL: url)
        }
    }

    // MARK: Moving on

    /// Whether the session holds no version of the file. It takes the newest when it is used.
    ///
    /// A session rests from when it was opened, or invalidated, until something is read. Nobody has seen what it would
    /// show meanwhile, so it may show whatever is the newest then.
    var isResting: Bool { rested != nil }

    /// Does what `refresh` does, unless somebody is told of changes at this moment.
    func refreshUnlessTelling() -> Bool { observers?.isTelling == true ? false : refresh() }

    /// Moves to the newest commit; true if that was another one. Does nothing while writing, and if another program has
    /// changed the classes in that commit.
    func refresh() -> Bool {
        let before = rested
        checkDomain(wakes: false)
        if isWriting || isFrozen { return false }
        openIterators.readAll()
        let changed = moveOn() && version != before
        if changed || before != nil { changeCount &+= 1 }
        if !isResting { observers?.tell() }
        return changed
    }

    /// True if the session shows another commit than before, or one after it has shown none.
    private func moveOn() -> Bool {
        read("refresh()") { () throws(StrataError) in
            do throws(StrataError) {
                let moved = try view.refresh()
                (outdated, rested) = (nil, nil)
                return moved
            } catch {
                guard error.code == .schemaMismatch else { throw error }
                stay(because: error)
                return false
            }
        }
    }

    private func stay(because error: StrataError) {
        if outdated == nil {
            let message = "a realm does not move to the newest version: \(error.message)"
            RealmLogger.shared.log(level: .warn, message: message)
        }
        outdated = error
        if isResting { view.rest() }
    }

    /// Throws if the newest commit cannot be shown, because another program has changed the classes in it.
    func checkNewest() throws(StrataError) {
        if let before = rested {
            try wake()
            rest()
            rested = before
        } else if !isWriting {
            _ = refreshUnlessTelling()
            if let outdated { throw outdated }
        }
    }

    /// Moves to the calling thread, and to the newest commit.
    func wake() throws(StrataError) {
        view.adopt()
        do throws(StrataError) {
            _ = try view.refresh()
        } catch {
            if isResting { view.rest() }
            throw error
        }
        (outdated, rested) = (nil, nil)
        changeCount &+= 1
    }

    /// What `wake` does, where nothing can be thrown. If another program has changed the classes, there is nothing to
    /// show, which only those are told who read.
    private func takeNewest() {
        do {
            try wake()
        } catch {
            if error.code != .schemaMismatch { misuse("the realm cannot be read: \(error.message)") }
            outdated = error
            view.adopt()  // which shows nothing
        }
    }

    /// Gives the version of the file back until the session is woken, or used in its domain. Nothing of it may be in
    /// use that must go on to show the same.
    func rest() {
        openIterators.readAll()
        rested = rested ?? view.version
        view.rest()
    }

    /// Makes all objects invalid, rolls back an open write, and gives the version of the file back.
    func invalidate() {
        requireLive("invalidate()")
        checkDomain(wakes: false)
        requireNoValidation("invalidate()")
        if hasAsyncWrites { asyncWrites.dropWaiting() }
        if isWriting { cancel() }
        openIterators.readAll()
        beginGeneration()
        invalidatedAt = generation
        for managed in classes.all { managed.forgetRollbacks() }
        rest()
    }

    /// Names the session among the pins. One that rests goes on to do so.
    func setLabel(_ label: String) {
        requireLive("setLabel()")
        checkDomain(wakes: false)
        view.setLabel(label)
        if isResting { rest() }
    }
}

/// Classes that a file holds, as long as its schema has the same version.
struct AppliedSchema {
    let store: EngineStore
    let schema: Schema
    let fileVersion: UInt64
}
