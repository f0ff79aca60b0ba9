// SPDX-License-Identifier: MIT

import Foundation
import RealmSwift
import Synchronization
import Testing

/// Statement 198.
@Suite struct LoggerTests {
    @Test func `S198: levels`() {
        let names = LogLevel.allCases.map(\.description)
        #expect(names == ["off", "fatal", "error", "warn", "info", "detail", "debug", "trace", "all"])
        let told = Mutex<[String]>([])
        let logger = RealmSwift.Logger(level: .warn, logFunction: { level, text in told.withLock { $0.append("\(level) \(text)") } })
        for level in LogLevel.allCases { logger.log(level: level, message: "x") }
        #expect(told.withLock { $0 } == ["fatal x", "error x", "warn x"])
        logger.level = .off
        logger.log(level: .fatal, message: "y")
        #expect(told.withLock { $0.count } == 3)
    }

    @Test func `files and migrations are told of`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            RealmLogger.shared.level = .detail
            let temporary = try TemporaryRealm([])
            try Version1.fill(temporary.url)
            autoreleasepool { _ = try? Realm(configuration: Version2.configuration(temporary.url)) }
            RealmLogger.shared.level = .off
            try Realm.deleteFiles(for: Version2.configuration(temporary.url))
            try Version1.fill(temporary.url)
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = said.split(separator: "\n").filter { $0.hasPrefix("Strata: ") }
        #expect(lines.count { $0.contains("was created") } == 1)
        #expect(lines.count { $0.contains("info: ") && $0.contains("was migrated from schema version 1 to 2") } == 1)
        #expect(lines.count { $0.contains("detail: ") && $0.contains("from schema version 1 to 2:") } == 1, "\(said)")
        #expect(said.contains("- Pet.title was added (string)"))
    }
}
