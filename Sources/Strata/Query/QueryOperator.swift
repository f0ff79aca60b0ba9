// SPDX-License-Identifier: MIT
// QueryOperator.swift -- the operators that compare two sides of a condition.

/// An operator between two sides.
struct QueryOperator: Equatable {
    let engine: EngineOperator
    let options: StringOptions

    init(_ engine: EngineOperator, _ options: StringOptions = []) { (self.engine, self.options) = (engine, options) }

    static var equal: Self { Self(.equal) }
    static var notEqual: Self { Self(.notEqual) }
    static var less: Self { Self(.less) }
    static var lessOrEqual: Self { Self(.lessOrEqual) }
    static var greater: Self { Self(.greater) }
    static var greaterOrEqual: Self { Self(.greaterOrEqual) }
    static var `in`: Self { Self(.in) }

    /// The operator as predicates write it, such as "==" or "CONTAINS[c]".
    var text: String {
        switch engine {
        case .equal: "==\(options.suffix)"
        case .notEqual: "!=\(options.suffix)"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .beginsWith: "BEGINSWITH\(options.suffix)"
        case .endsWith: "ENDSWITH\(options.suffix)"
        case .contains: "CONTAINS\(options.suffix)"
        case .like: "LIKE\(options.suffix)"
        default: "IN"
        }
    }

    /// The operator with its sides exchanged.
    var mirrored: Self {
        switch engine {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }

    /// Whether the engine compares with the value as `where { }` means it. Nothing is less than nil; nothing contains
    /// nil or an empty text; and only strings have letters whose case or marks can be ignored.
    func accepts(_ value: _StoredValue) -> Bool {
        let isEquality = self == .equal || self == .notEqual || self == .in
        return switch value {
        case .null: isEquality
        case .string(let text): engine != .between && !(engine.isTextual && text.isEmpty)
        case .data(let data): options.isEmpty && !(engine.isTextual && data.isEmpty)
        default: options.isEmpty && !engine.isTextual
        }
    }

    /// Whether the operator holds between two numbers; nil if it is none that compares numbers.
    func holds(_ left: Int64, _ right: Int64) -> Bool? {
        switch engine {
        case .equal: left == right
        case .notEqual: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        default: nil
        }
    }
}
