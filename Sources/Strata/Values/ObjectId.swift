// SPDX-License-Identifier: MIT
// ObjectId.swift -- a twelve-byte identifier that is unique without asking anybody.

public import Foundation
import Synchronization

/// A twelve-byte identifier: four bytes of time, five random bytes chosen once per process, three of a counter.
///
/// Identifiers made by one process sort in the order in which they were made, except that the counter wraps around.
public struct ObjectId: Sendable, Hashable {
    /// The first eight bytes and the last four as big-endian numbers, so that numbers compare as bytes do.
    @usableFromInline var head: UInt64
    @usableFromInline var tail: UInt32

    /// Creates the identifier whose bytes are all zero. See `generate()` for one that is unique.
    public init() {
        head = 0
        tail = 0
    }

    /// Creates an identifier from 24 hexadecimal digits.
    ///
    /// - Throws: `Realm.Error.invalidInput` if the text is something else.
    public init(string: String) throws {
        guard let id = Self(digits: string) else {
            throw StrataError(
                .invalidInput, "\"\(string.prefix(60))\" is not an ObjectId; expected 24 hexadecimal digits")
        }
        self = id
    }

    /// Creates an identifier from a literal of 24 hexadecimal digits; stops the program if it is something else.
    public init(_ literal: StaticString) {
        guard let id = Self(digits: literal.description) else {
            misuse("\"\(literal)\" is not an ObjectId; write 24 hexadecimal digits")
        }
        self = id
    }

    /// Creates an identifier from its parts.
    ///
    /// - Parameters:
    ///   - timestamp: the time; the identifier has the seconds since 1970.
    ///   - machineId: the identifier has the low three bytes.
    ///   - processId: the identifier has the low two bytes.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        let seconds = UInt32(truncatingIfNeeded: Int64(timestamp.timeIntervalSince1970))
        let random = UInt64(machineId & 0xff_ffff) << 16 | UInt64(processId & 0xffff)
        self.init(seconds: seconds, random: random, count: Self.nextCount())
    }

    /// Creates a unique identifier.
    public static func generate() -> ObjectId {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Self(seconds: UInt32(truncatingIfNeeded: now.tv_sec), random: randomOfProcess, count: nextCount())
    }

    /// The time of its creation, in whole seconds.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(head >> 32)) }

    /// The 24 hexadecimal digits, in lower case.
    public var stringValue: String {
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: count - text.count) + text
        }
        return digits(head, 16) + digits(UInt64(tail), 8)
    }

    private init(seconds: UInt32, random: UInt64, count: UInt32) {
        head = UInt64(seconds) << 32 | random >> 8
        tail = UInt32(truncatingIfNeeded: random & 0xff) << 24 | count
    }

    private init?(digits: String) {
        let text = Array(digits.utf8)
        guard text.count == 24 else { return nil }
        var bytes = [UInt8]()
        for index in stride(from: 0, to: 24, by: 2) {
            guard let high = Self.digit(text[index]), let low = Self.digit(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        head = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        tail = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static let randomOfProcess = UInt64.random(in: 0..<(1 << 40))
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<(1 << 24)))

    private static func nextCount() -> UInt32 {
        counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xff_ffff
    }
}

extension ObjectId {
    /// The twelve bytes in their order.
    @inlinable
    var bytes: ObjectIdBytes {
        let h = head.bigEndian
        let t = tail.bigEndian
        var result: ObjectIdBytes = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        Swift.withUnsafeMutableBytes(of: &result) {
            $0.storeBytes(of: h, as: UInt64.self)
            $0.storeBytes(of: t, toByteOffset: 8, as: UInt32.self)
        }
        return result
    }

    /// Creates an identifier from its twelve bytes.
    @inlinable
    init(bytes: ObjectIdBytes) {
        (head, tail) = Swift.withUnsafeBytes(of: bytes) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            )
        }
    }
}

extension ObjectId: Comparable {
    /// Compares byte by byte.
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.head, left.tail) < (right.head, right.tail)
    }
}

extension ObjectId: CustomStringConvertible {
    /// The 24 hexadecimal digits.
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// Reads the 24 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(digits: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not an ObjectId")
        }
        self = id
    }

    /// Writes the 24 hexadecimal digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}
