// SPDX-License-Identifier: MIT
// QueryLimits.swift -- scopes whose queries may be stopped, and what becomes of a stopped query.

/// What stops the queries of a scope.
enum QueryLimit {
    case milliseconds(UInt32)
    case steps(UInt64)
    case cancellation(QueryCancellation)
}

/// The scopes of a session whose queries may be stopped, innermost last.
///
/// Invariant: the interrupt of the view is what all scopes together allow. While there is no scope, the view has none,
/// and queries do not look for one.
final class QueryLimits {
    fileprivate struct Scope {
        let limit: QueryLimit
        /// For milliseconds; on the clock that the engine uses.
        let deadline: SuspendingClock.Instant?
        /// For steps: the count of all steps behind which queries stop.
        let lastStep: UInt64?
        /// Of the session when the scope began. A write transaction that began before it has the same.
        let generation: UInt64
    }

    /// What the scopes throw that a query was stopped in.
    private struct Stop {
        let error: any Error
        /// What a write transaction throws that must fail because of it.
        let failure: StrataError
        /// The scope whose limit it was. Those in it throw the error as well.
        let depth: Int
    }

    private unowned let view: EngineView
    private let interrupt: EngineInterrupt
    private var scopes: [Scope] = []
    private var stop: Stop?
    /// The steps taken before the interrupt was last reset.
    private var earlierSteps: UInt64 = 0

    init(_ view: EngineView) throws(StrataError) {
        self.view = view
        interrupt = try EngineInterrupt()
    }

    private var steps: UInt64 { earlierSteps + interrupt.steps }

    func enter(_ limit: QueryLimit, _ generation: UInt64) throws(StrataError) {
        if scopes.isEmpty { try view.setInterrupt(interrupt) }
        var deadline: SuspendingClock.Instant?, lastStep: UInt64?
        switch limit {
        case .milliseconds(let milliseconds): deadline = .now.advanced(by: .milliseconds(milliseconds))
        case .steps(let most):
            let (sum, overflow) = steps.addingReportingOverflow(most)
            lastStep = overflow ? .max : sum
        case .cancellation(let cancellation): cancellation.add(interrupt)
        }
        scopes.append(Scope(limit: limit, deadline: deadline, lastStep: lastStep, generation: generation))
        apply()
    }

    /// Ends the innermost scope; what it has to throw, if a query was stopped in it.
    func leave() throws(StrataError) -> (any Error)? {
        let scope = scopes.removeLast()
        if case .cancellation(let cancellation) = scope.limit { cancellation.remove(interrupt) }
        let error = stop?.error
        if let stop, stop.depth == scopes.count { self.stop = nil }
        apply()
        if scopes.isEmpty { try view.setInterrupt(nil) }
        return error
    }

    /// Makes the interrupt what all scopes together allow. Cancellations are asked last, because one that comes later
    /// stops the interrupt itself.
    private func apply() {
        earlierSteps += interrupt.steps
        interrupt.reset()
        if let deadline = scopes.compactMap(\.deadline).min() {
            interrupt.stop(afterMilliseconds: Self.milliseconds(until: deadline))
        }
        if let last = scopes.compactMap(\.lastStep).min() {
            if last < earlierSteps { interrupt.stop() } else { interrupt.stop(afterSteps: last - earlierSteps) }
        }
        if scopes.contains(where: \.isCancelled) { interrupt.stop() }
    }

    /// Rounded up, so that the engine never stops before the deadline.
    private static func milliseconds(until deadline: SuspendingClock.Instant) -> UInt64 {
        let (seconds, attoseconds) = SuspendingClock.now.duration(to: deadline).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Remembers that a query was stopped, until the scopes end whose limit that was.
    ///
    /// - Parameters:
    ///   - what: the query, as the beginning of the message.
    ///   - failure: as the engine reported it.
    ///   - generation: that of the session.
    /// - Returns: the error of a write transaction that began in the scope whose limit it was. It must fail, because
    ///   the rest of it would rest on the empty result before that scope could throw.
    func stopped(_ what: String, _ failure: StrataError, _ generation: UInt64) -> StrataError? {
        let depth = scopes.firstIndex { $0.isReached(steps) } ?? scopes.count - 1
        let error = scopes[depth].error(what, failure)
        let reason = error as? StrataError ?? failure.naming(what)
        if depth < stop?.depth ?? .max { stop = Stop(error: error, failure: reason, depth: depth) }
        return scopes[depth].generation != generation ? reason : nil
    }

    /// The error of a write transaction that begins now; nil if no query was stopped in the present scopes. It must
    /// fail, because what it is told to write may rest on the empty result.
    var failure: StrataError? { stop?.failure }

    /// Whether there is a scope.
    var isActive: Bool { !scopes.isEmpty }

    /// Whether a query was stopped in the present scopes.
    var isStopped: Bool { stop != nil }
}

extension QueryLimits.Scope {
    fileprivate var isCancelled: Bool {
        if case .cancellation(let cancellation) = limit { cancellation.isCancelled } else { false }
    }

    /// Whether the scope stops queries.
    fileprivate func isReached(_ steps: UInt64) -> Bool {
        isCancelled || deadline.map { $0 <= .now } ?? false || lastStep.map { $0 < steps } ?? false
    }

    fileprivate func error(_ what: String, _ failure: StrataError) -> any Error {
        let problem: String
        switch limit {
        case .cancellation: return CancellationError()
        case .milliseconds(let most): problem = "did not end within \(Double(most) / 1000) seconds; give it more time"
        case .steps(let most): problem = "takes more than the \(most) steps it may take; let it take more"
        }
        return StrataError(
            .interrupted, "\(what) \(problem), or a condition that an index answers", fileURL: failure.fileURL)
    }
}

extension EngineAggregate {
    /// The aggregate of no values, for a query that was stopped.
    var ofNothing: _StoredValue {
        switch self {
        case .sum, .count: .int(0)
        default: .null
        }
    }
}

extension Session {
    /// Runs a body whose queries stop at a limit. If one was stopped, that is thrown, whatever the body did.
    func limitingQueries<Result>(_ limit: QueryLimit, _ body: () throws -> Result) throws -> Result {
        checkThread()
        let limits = try queryLimits ?? QueryLimits(view)
        queryLimits = limits
        try limits.enter(limit, generation)
        let result = Swift.Result { try body() }
        if let error = try limits.leave() {
            changeCount &+= 1  // so that nothing that is empty because of the stop is used again
            throw error
        }
        return try result.get()
    }

    /// Runs a query. It fails only if the file is damaged or the query is wrong, and then the program stops; or if a
    /// limit is reached, and then it gives `nothing`, and the scope of the limit throws at its end.
    func search<R>(
        _ what: @autoclosure () -> String, orElse nothing: @autoclosure () -> R, _ body: () throws(StrataError) -> R
    ) -> R {
        checkThread()
        do {
            return try body()
        } catch {
            if noteStop(what(), error) { return nothing() }
            misuse("\(what()) failed: \(reason(error).message)")
        }
    }

    /// Remembers that a query was stopped; false if it failed for another reason.
    func noteStop(_ what: String, _ error: StrataError) -> Bool {
        guard error.code == .interrupted, let queryLimits else { return false }
        if let error = queryLimits.stopped(what, error, generation), isWriting { fail(error) }
        return true
    }

    /// What checking a condition throws: that it is wrong, unless the check was stopped.
    func wrongOrStopped(_ error: StrataError, _ what: String) -> StrataError {
        noteStop(what, error) ? error.naming(what) : ParsedPredicate.wrong(error.message)
    }

    /// Whether queries may be stopped.
    var isLimited: Bool { queryLimits?.isActive ?? false }

    /// Whether a query was stopped in a scope that has not ended.
    var isStopped: Bool { queryLimits?.isStopped ?? false }
}
