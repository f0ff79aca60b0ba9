// SPDX-License-Identifier: MIT

import Testing

import DebianRecords

@Suite struct DebianVersionTests {
    /// Each is older than the next.
    static let ascending = [
        "0", "0.0.1~~", "0.0.1~~a", "0.0.1~", "0.0.1", "0.0.1a", "0.0.1+b1", "0.0.2", "0.0.10", "1.0~beta1~svn1245",
        "1.0~beta1", "1.0-0~1", "1.0", "1.0-0.1", "1.0-1~bpo11+1", "1.0-1", "1.0-1+b1", "1.0-1+deb12u1", "1.0-1.1",
        "1.0-2", "1.0-10", "1.0a", "1.0+dfsg-1", "1.0.0", "1.00000000000000000000000000000000000000001",
        "9999999999999999999999", "1:0.1", "1:1.2-3-4", "2:0",
    ]

    @Test func `versions are ordered as Debian policy says`() throws {
        let versions = try Self.ascending.map { try #require(DebianVersion($0)) }
        for (i, a) in versions.enumerated() {
            for (j, b) in versions.enumerated() {
                #expect((a < b) == (i < j), "\(a) < \(b)")
                #expect((a == b) == (i == j), "\(a) == \(b)")
            }
        }
    }

    @Test(arguments: [
        ("1.0", "0:1.0"), ("1.0", "1.0-0"), ("1.0-1", "1.00-01"), ("0:0-0", "0"), ("1.", "1.0"), ("12a", "012a"),
    ])
    func `versions can be equal though written differently`(left: String, right: String) throws {
        let a = try #require(DebianVersion(left))
        let b = try #require(DebianVersion(right))
        #expect(a == b)
        #expect(!(a < b) && !(b < a))
    }

    @Test func `only the last hyphen begins the revision and only the first colon ends the epoch`() throws {
        let version = try #require(DebianVersion("3:1-2:4-5"))
        #expect(version.epoch == 3)
        #expect(version.upstream == "1-2:4")
        #expect(version.revision == "5")
        #expect(version.text == "3:1-2:4-5")
    }

    @Test(arguments: [
        "", ":", ":1", "a:1", "1:", "1:-1", "-1", "1.0-", "1 0", "1.0_1", "1.0-1_2", "1é", "99999999999:1", "-1:1",
        "+1:1", "1.0\n",
    ])
    func `what is no version is refused`(text: String) {
        #expect(DebianVersion(text) == nil)
    }
}
