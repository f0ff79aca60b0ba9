// SPDX-License-Identifier: MIT
// SeededGenerator.swift -- random numbers that can be had again.

import Foundation

/// SplitMix64: the same seed gives the same run everywhere.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The seed of a random test, which it prints: STRATA_TEST_SEED, or a new one.
func testSeed(_ name: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["STRATA_TEST_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 1...UInt64.max)
    print("\(name): seed \(seed); repeat with STRATA_TEST_SEED=\(seed)")
    fflush(nil)  // also into a file, should the test stop the program
    return seed
}
