// SPDX-License-Identifier: MIT
// RealmLogger+SwiftLog.swift -- what Strata tells, in the log of a server.

public import Logging
public import Strata

extension RealmLogger {
    /// Passes everything up to a level on to a logger of swift-log.
    ///
    /// ```swift
    /// RealmLogger.shared = RealmLogger(Logger(label: "strata"))
    /// ```
    public convenience init(_ logger: Logging.Logger, level: LogLevel = .info) {
        self.init(level: level) { level, message in logger.log(level: Logging.Logger.Level(level), "\(message)") }
    }
}

extension Logging.Logger.Level {
    /// The level of swift-log that stands for one of Strata's.
    public init(_ level: LogLevel) {
        switch level {
        case .fatal: self = .critical
        case .error: self = .error
        case .warn: self = .warning
        case .info, .off: self = .info
        case .detail, .debug: self = .debug
        case .trace, .all: self = .trace
        }
    }
}
