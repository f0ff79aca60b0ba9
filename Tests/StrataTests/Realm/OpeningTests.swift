// SPDX-License-Identifier: MIT
// OpeningTests.swift -- what it costs to open a realm that is open elsewhere in the process.

import CAllocationCount
import Foundation
import Strata
import Testing

@Suite struct OpeningTests {
    @Test func `a realm that is open elsewhere is opened without a look at its classes`() throws {
        let temporary = try TemporaryRealm(), configuration = temporary.configuration
        /// The allocations of an opening and a closing.
        @Sendable func allocations() throws -> UInt64 {
            _ = try Realm(configuration: configuration)
            let before = allocation_count()
            _ = try Realm(configuration: configuration)
            return UInt64(allocation_count() - before)
        }
        let realm = try temporary.open()
        let elsewhere = try onAnotherThread(allocations)
        // Other classes have to be looked at.
        let others = Realm.Configuration(fileURL: temporary.url, objectTypes: [Person.self, Dog.self])
        let anew = try onAnotherThread {
            let before = allocation_count()
            _ = try Realm(configuration: others)
            return UInt64(allocation_count() - before)
        }
        #expect(elsewhere < anew)
        #expect(realm.isEmpty)
    }
}
