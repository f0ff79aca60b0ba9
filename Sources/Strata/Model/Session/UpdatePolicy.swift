// SPDX-License-Identifier: MIT
// UpdatePolicy.swift -- what adding does when there is an object with the same primary key.

/// What to do when an object with the same primary key exists.
public enum UpdatePolicy: Int, Sendable {
    /// The write transaction fails.
    case error = 1
    /// The existing object takes over the values that differ.
    case modified = 3
    /// The existing object takes over all values.
    case all = 2
}
