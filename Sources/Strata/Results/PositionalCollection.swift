// SPDX-License-Identifier: MIT
// PositionalCollection.swift -- collections whose positions count from 0.

/// A collection whose positions count from 0. Moving a position asks nothing: what it stands for is checked where an
/// element is read, and a loop that knows how many there are ends, even if a query is stopped meanwhile.
public protocol _PositionalCollection: RandomAccessCollection where Index == Int, Indices == Range<Int> {}

extension _PositionalCollection {
    /// Always 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The position after another.
    @inlinable
    public func index(after i: Int) -> Int { i + 1 }

    /// The position before another.
    @inlinable
    public func index(before i: Int) -> Int { i - 1 }

    /// The position a distance away from another.
    @inlinable
    public func index(_ i: Int, offsetBy distance: Int) -> Int { i + distance }

    /// How far one position is from another.
    @inlinable
    public func distance(from start: Int, to end: Int) -> Int { end - start }
}
