// SPDX-License-Identifier: MIT
// JSONText.swift -- what commands say about files, as lines of JSON.

/// A value of JSON that is made here. Objects of files are written by the engine.
enum JSONText: CustomStringConvertible, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case list([JSONText])
    case object(KeyValuePairs<String, JSONText>)
    /// Text that is JSON already.
    case raw(String)

    var description: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .uint(let value): return "\(value)"
        case .double(let value): return value.isFinite ? "\(value)" : "null"
        case .string(let value): return Self.quoted(value)
        case .list(let values): return "[" + values.map(\.description).joined(separator: ",") + "]"
        case .raw(let text): return text
        case .object(let members):
            return "{" + members.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            default:
                // Terminals obey those behind ASCII, too.
                if scalar.value < 32 || (127..<160).contains(scalar.value) {
                    let hex = String(scalar.value, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                } else {
                    out.unicodeScalars.append(scalar)
                }
            }
        }
        return out + "\""
    }
}
