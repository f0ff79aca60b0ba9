// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// A sequence of random numbers that a seed fixes: DECIMAL_SEED of the environment, or a fresh one.
private struct Chance: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init() {
        let given = ProcessInfo.processInfo.environment["DECIMAL_SEED"].flatMap { UInt64($0) }
        seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    var comment: Comment { "DECIMAL_SEED=\(seed)" }
}

@Suite struct Decimal128Tests {
    @Test(arguments: [
        ("0", "0"), ("-0", "-0"), ("1.00", "1.00"), (".5", "0.5"), ("1e3", "1E+3"), ("0.000001", "0.000001"),
        ("0.0000001", "1E-7"), ("INF", "Infinity"), ("-infinity", "-Infinity"), ("nan", "NaN"),
        ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
        ("9.999999999999999999999999999999999e6144", "9.999999999999999999999999999999999E+6144"),
        ("1e6145", "Infinity"), ("-1e-6176", "-1E-6176"), ("1e-6177", "0E-6176"),
    ])
    func `text and back`(text: String, printed: String) throws {
        let number = try Decimal128(string: text)
        #expect(number.description == printed)
        #expect(number.stringValue == printed)
        #expect(try Decimal128(string: printed) == number)
        #expect(Decimal128(printed)?.description == printed)
    }

    /// Numbers and their texts as the General Decimal Arithmetic specification gives them for "to-scientific-string".
    @Test(arguments: [
        ("123", "123"), ("-123", "-123"), ("123e1", "1.23E+3"), ("123e3", "1.23E+5"), ("123e-2", "1.23"),
        ("123e-5", "0.00123"), ("123e-10", "1.23E-8"), ("-123e-12", "-1.23E-10"), ("0", "0"), ("0e-2", "0.00"),
        ("0e2", "0E+2"), ("-0", "-0"), ("-0e-1", "-0.0"), ("5e-6", "0.000005"), ("50e-7", "0.0000050"),
        ("5e-7", "5E-7"), ("1e3", "1E+3"), ("1e-5", "0.00001"), ("10e-11", "1.0E-10"), ("70e-2", "0.70"),
        ("700e1", "7.00E+3"), ("0e-7", "0E-7"), ("0e-6", "0.000000"), ("1e-6176", "1E-6176"), ("inf", "Infinity"),
        ("-inf", "-Infinity"), ("nan", "NaN"), ("1.0", "1.0"), ("100e-2", "1.00"), ("1e-1", "0.1"),
    ])
    func `the text of a number is its scientific string`(text: String, printed: String) throws {
        #expect(try Decimal128(string: text).description == printed)
    }

    @Test(arguments: ["", "abc", "1,5", "1 ", " 1", "1e", "--1", "0x1", "ä"])
    func `text that is no number is refused`(text: String) {
        #expect(throws: Realm.Error(.invalidInput, "")) { try Decimal128(string: text) }
        #expect(Decimal128(text) == nil)
        let error = #expect(throws: Realm.Error.self) { try Decimal128(string: text) }
        #expect(error?.message.contains("\"\(text)\" is not a decimal number") == true)
    }

    @Test func `literals`() {
        let whole: Decimal128 = -12
        let part: Decimal128 = 0.1
        let text: Decimal128 = "3.14159265358979323846264338327950288"
        #expect(whole.description == "-12")
        #expect(part.description == "0.1")
        #expect(text.description == "3.141592653589793238462643383279503")
        #expect(part + 0.2 == 0.3)
        #expect(Decimal128().description == "0")
        #expect(Decimal128.zero == 0)
    }

    @Test func `numbers of other types`() {
        #expect(Decimal128(Int.min).description == "-9223372036854775808")
        #expect(Decimal128(UInt.max).description == "18446744073709551615")
        #expect(Decimal128(UInt8(7)) == 7)
        #expect(Decimal128(Int128.max).description == "1.701411834604692317316873037158841E+38")
        let tenth = 0.1
        #expect(Decimal128(tenth).description == "0.1")
        #expect(Decimal128(Float(tenth)).description == "0.1")
        #expect(Decimal128(Double.infinity) == .infinity)
        #expect(Decimal128(Double.nan).isNaN)
        #expect(Decimal128(Decimal(string: "-1.25")!).description == "-1.25")
        #expect(Decimal128(Decimal.nan).isNaN)
        #expect(Decimal128(Decimal(sign: .plus, exponent: 120, significand: 7)) == "7e120")
    }

    @Test func `numbers of Foundation`() {
        #expect(Decimal128(number: NSNumber(value: Int64.min)) == Decimal128(Int64.min))
        #expect(Decimal128(number: NSNumber(value: UInt64.max)).description == "18446744073709551615")
        #expect(Decimal128(number: NSNumber(value: UInt32.max)).description == "4294967295")
        #expect(Decimal128(number: NSNumber(value: 0.1)).description == "0.1")
        #expect(Decimal128(number: NSNumber(value: Float(0.1))).description == "0.1")
        #expect(Decimal128(number: NSNumber(value: true)) == 1)
        let exact = "12345678901234567890.123456789"
        #expect(Decimal128(number: NSDecimalNumber(string: exact)).description == exact)
    }

    @Test func `values of unknown type`() {
        let values: [Any] = [
            2, UInt8(2), 2.0, Float(2), "2", "2.00", Decimal(2), NSNumber(value: 2), NSDecimalNumber(string: "2"),
            Int128(2), Decimal128(2),
        ]
        for value in values { #expect(Decimal128(value: value) == 2, "\(type(of: value))") }
        for value in [NSNull(), Int?.none as Any, Any??.some(nil) as Any] as [Any] {
            #expect(Decimal128(value: value).isNaN)
        }
        #expect(Decimal128(value: Int?.some(2) as Any) == 2)
    }

    @Test func `a value that is no number stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = Decimal128(value: Date()) }
        await #expect(processExitsWith: .failure) { _ = Decimal128(value: true) }
        await #expect(processExitsWith: .failure) { _ = "1,5" as Decimal128 }
    }

    @Test func `exact conversions to integers`() {
        #expect(Int(exactly: "2.00" as Decimal128) == 2)
        #expect(Int(exactly: "-9.223372036854775808E18" as Decimal128) == Int.min)
        #expect(UInt64(exactly: Decimal128(UInt64.max)) == .max)
        #expect(UInt8(exactly: "256" as Decimal128) == nil)
        #expect(UInt(exactly: "-1" as Decimal128) == nil)
        #expect(Int(exactly: "0.5" as Decimal128) == nil)
        #expect(Int(exactly: Decimal128.nan) == nil)
        #expect(Int(exactly: Decimal128.infinity) == nil)
        #expect(Decimal128(exactly: Int128.max) == nil)
        #expect(Decimal128(exactly: Int128(1) << 90) == Decimal128(String(Int128(1) << 90)))
        #expect(Decimal128(exactly: 5) == 5)
    }

    @Test func `conversion to Double`() {
        #expect(("0.1" as Decimal128).doubleValue == 0.1)
        #expect(Double("-1e400" as Decimal128) == -.infinity)
        #expect(Double(Decimal128.nan).isNaN)
        var chance = Chance()
        for _ in 0..<5000 {
            let number = Double(bitPattern: chance.next())
            guard number.isFinite else { continue }
            #expect(Decimal128(number).doubleValue == number, chance.comment)
        }
    }

    @Test func `kinds and signs`() {
        #expect(Decimal128.nan.isNaN && !Decimal128.nan.isFinite && !Decimal128.nan.isSignMinus)
        #expect(Decimal128.infinity.isInfinite && !Decimal128.infinity.isNaN)
        #expect(("-0" as Decimal128).isSignMinus && ("-0.0" as Decimal128).isZero)
        #expect(Decimal128.max.isFinite && Decimal128.max.description == "9.999999999999999999999999999999999E+6144")
        #expect(Decimal128.min == -Decimal128.max)
        #expect(("-1.50" as Decimal128).magnitude.description == "1.50")
        var number: Decimal128 = "1.5"
        number.negate()
        #expect(number.description == "-1.5")
    }

    @Test func `no number is a signalling one`() {
        let numbers: [Decimal128] = [.nan, .nan + 1, 0, .infinity]
        for number in numbers { #expect(!number.isSignaling && !number.isSignalingNaN) }
        #expect(throws: Realm.Error.self) { try Decimal128(string: "sNaN") }
    }

    @Test func `strides are exact`() {
        let tenth: Decimal128 = "0.1"
        let (none, one): (Decimal128, Decimal128) = (0, 1)
        let texts = stride(from: none, through: one, by: tenth).map(\.description)
        #expect(texts.joined(separator: " ") == "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0")
        let down: [Decimal128] = [1, "0.9", "0.8"]
        #expect(Array(stride(from: one, to: "0.7", by: -tenth)) == down)
        #expect(tenth.distance(to: "-2") == "-2.1" && tenth.advanced(by: "0.90") == 1)
        #expect((tenth...one).contains("0.55") && !(none..<tenth).contains(tenth))
    }

    @Test func `arithmetic`() {
        #expect(("1.10" as Decimal128 + "2.2").description == "3.30")
        #expect(("19.90" as Decimal128 * 3).description == "59.70")
        #expect((1 as Decimal128 / 3).description == "0.3333333333333333333333333333333333")
        #expect((1 as Decimal128 / 0) == .infinity)
        #expect((0 as Decimal128 / 0).isNaN)
        #expect(Decimal128.max * 10 == .infinity)
        var total: Decimal128 = 10
        total += 5
        total -= 3
        total *= 4
        total /= 8
        #expect(total == 6)
        #expect([1, 2, 3].reduce(Decimal128.zero, +) == 6)
        #expect(-total < total)
    }

    @Test func `arithmetic agrees with exact integers`() {
        var chance = Chance()
        for _ in 0..<5000 {
            let a = Int128(Int64.random(in: .min ... .max, using: &chance) >> Int.random(in: 0..<64, using: &chance))
            let b = Int128(Int64.random(in: .min ... .max, using: &chance) >> Int.random(in: 8..<64, using: &chance))
            let (x, y) = (Decimal128(a), Decimal128(b))
            #expect(x + y == Decimal128(a + b), chance.comment)
            #expect(x - y == Decimal128(a - b), chance.comment)
            #expect(x * y == Decimal128(a * b), chance.comment)
            #expect((x < y) == (a < b), chance.comment)
            if b != 0 && (a * b).magnitude < 1_000_000_000_000_000_000 {
                #expect(x * y / y == x, chance.comment)
            }
        }
    }

    @Test func `a total order, NaN first`() {
        let ordered: [Decimal128] = [
            .nan, -.infinity, .min, "-2", "-1.5", "-1e-6176", 0, "1e-6176", "0.1", 1,
            "1.000000000000000000000000000000001",
            2, "1e34", .max, .infinity,
        ]
        #expect(ordered.shuffled().sorted() == ordered)
        for (i, left) in ordered.enumerated() {
            for (j, right) in ordered.enumerated() {
                #expect((left < right) == (i < j))
                #expect((left == right) == (i == j))
            }
        }
    }

    @Test func `equal numbers hash alike`() {
        let groups: [[Decimal128]] = [
            ["0", "-0", "0.00", "0e6111", "-0e-6176"], ["1", "1.0", "1.000000000000000000000000000000000", "10e-1"],
            ["100", "1e2", "100.0"], ["1e6144", "1000000000000000000000000000000000e6111"], [.nan, "-nan", .nan + 1],
            [.infinity, "inf", .max * 2],
        ]
        #expect(Set(groups.joined()).count == groups.count)
        for group in groups {
            for number in group { #expect(number == group[0] && number.hashValue == group[0].hashValue) }
        }
    }

    @Test func `coded as its text`() throws {
        let numbers: [Decimal128] = ["1.50", .nan, -.infinity, "1e-6176"]
        let data = try JSONEncoder().encode(numbers)
        #expect(String(decoding: data, as: UTF8.self) == #"["1.50","NaN","-Infinity","1E-6176"]"#)
        let back = try JSONDecoder().decode([Decimal128].self, from: data)
        #expect(back.map(\.description) == numbers.map(\.description))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Decimal128].self, from: Data(#"["x"]"#.utf8)) }
    }

    @Test(arguments: [
        ("1", "1"), ("-0.1", "-0.1"), ("19.90", "19.9"), ("1.5e3", "1500"), ("0", "0"), ("1e-20", "1E-20"),
        ("9223372036854775808", "9223372036854775808"),
        ("12345678901234567890.123456789", "12345678901234567890.123456789"),
        ("0.1234567890123456789012345678901234", "0.1234567890123456789012345678901234"), ("1e200", "1E+200"),
    ])
    func `numbers in JSON are read exactly`(text: String, number: String) throws {
        let expected = try Decimal128(string: number)
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data("[\(text)]".utf8)) == [expected])
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data("[\"\(text)\"]".utf8)) == [expected])
    }

    @Test(arguments: ["true", "null", "{}", "[]"])
    func `what is neither a number nor text is refused`(json: String) {
        let data = Data("[\(json)]".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Decimal128].self, from: data) }
    }

    @Test func `numbers in property lists are read`() throws {
        let list = try PropertyListEncoder().encode([1.5, -2])
        #expect(try PropertyListDecoder().decode([Decimal128].self, from: list) == ["1.5", -2])
        let large = try PropertyListEncoder().encode([UInt64.max])
        #expect(try PropertyListDecoder().decode([Decimal128].self, from: large) == [Decimal128(UInt64.max)])
    }
}
