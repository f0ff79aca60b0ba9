// SPDX-License-Identifier: MIT
// Query+Text.swift -- conditions on strings and data.

public import struct Foundation.Data

/// How strings are compared.
public struct StringOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int
    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ASCII and Latin-1 letters are equal in both cases.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters are equal with and without marks such as accents.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// The options as predicates write them behind an operator.
    var suffix: String {
        switch rawValue & 3 {
        case 1: "[c]"
        case 2: "[d]"
        case 3: "[cd]"
        default: ""
        }
    }
}

/// Types that are texts or bytes, and their Optionals.
public protocol _QueryText: _Persistable {}

extension String: _QueryText {}
extension Data: _QueryText {}
extension AnyRealmValue: _QueryText {}
extension Optional: _QueryText where Wrapped: _QueryText & _OptionalPersistable {}

extension Query where T: _Persistable, T.PersistedType: _QueryText {
    /// The value contains the text; an empty text, or nil, is contained in nothing.
    ///
    /// ```swift
    /// people.where { $0.name.contains("ad", options: [.caseInsensitive, .diacriticInsensitive]) }
    /// ```
    public func contains(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.contains, options, text)
    }

    /// The value contains that of another property. One of the two may be nil; strings are compared with strings.
    public func contains<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.contains, options, column.node)
    }

    /// The value starts with the text; nothing starts with an empty text or nil.
    public func starts(with text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.beginsWith, options, text)
    }

    /// The value starts with that of another property.
    public func starts<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.beginsWith, options, column.node)
    }

    /// The value ends with the text; nothing ends with an empty text or nil.
    public func ends(with text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.endsWith, options, text)
    }

    /// The value ends with that of another property.
    public func ends<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.endsWith, options, column.node)
    }

    /// All of the value is like the pattern, in which `*` stands for anything and `?` for one character.
    ///
    /// ```swift
    /// people.where { $0.name.like("A*a", caseInsensitive: true) }
    /// ```
    public func like(_ pattern: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compare(.like, caseInsensitive ? .caseInsensitive : [], pattern)
    }

    /// All of the value is like the pattern in another property.
    public func like<U: _Persistable>(
        _ column: Query<U>, caseInsensitive: Bool = false
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.like, caseInsensitive ? .caseInsensitive : [], column.node)
    }

    /// The value equals the text.
    public func equals(_ text: T, options: StringOptions = []) -> Query<Bool> { compare(.equal, options, text) }

    /// The value equals that of another property.
    public func equals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.equal, options, column.node)
    }

    /// The value does not equal the text.
    public func notEquals(_ text: T, options: StringOptions = []) -> Query<Bool> {
        compare(.notEqual, options, text)
    }

    /// The value does not equal that of another property.
    public func notEquals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryText {
        compare(.notEqual, options, column.node)
    }

    private func compare(_ op: EngineOperator, _ options: StringOptions, _ text: T) -> Query<Bool> {
        compare(op, options, .constant(.value(T._stored(text))))
    }

    private func compare(_ op: EngineOperator, _ options: StringOptions, _ right: QueryNode) -> Query<Bool> {
        compare(QueryOperator(op, options), right)
    }
}
