// SPDX-License-Identifier: MIT
// TypeName.swift -- the names of types as programs write them, for messages.

/// The names of types as programs write them.
enum TypeName {
    /// The name, with a question mark for an Optional.
    static func text(_ type: Any.Type) -> String {
        let wrapped = UntypedValue.unwrap(type: type)
        return wrapped == type ? _typeName(type, qualified: false) : text(wrapped) + "?"
    }

    /// The name of a generic type with its arguments.
    static func text(_ name: String, _ arguments: Any.Type...) -> String {
        "\(name)<\(arguments.map { text($0) }.joined(separator: ", "))>"
    }
}
