// SPDX-License-Identifier: MIT
// CEngineTests.swift -- the tests of the C engine, seen from Swift.

import CStrataTests
import Testing

@Suite(.serialized) struct CEngineTests {
    /// Every C test, as a case of its own.
    @Test(arguments: (0..<ctest_count()).map { String(cString: ctest_name($0)) })
    func c(name: String) {
        guard let index = (0..<ctest_count()).first(where: { String(cString: ctest_name($0)) == name }) else { return }
        let failure = ctest_run(index).map { String(cString: $0) }
        #expect(failure == nil)
    }
}
