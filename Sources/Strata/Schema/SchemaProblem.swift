// SPDX-License-Identifier: MIT
// SchemaProblem.swift -- a mistake in the declaration of a class, and the one message that names all of them.

/// A mistake in the declaration of a class.
struct SchemaProblem: Hashable {
    /// The class that must be changed.
    let className: String
    /// What is wrong, and what to do about it.
    let text: String

    init(_ className: String, _ text: String) {
        self.className = className
        self.text = text
    }

    /// The error that names all problems, sorted by class, each in a line of its own and once. A class that inherits a
    /// problem has the same one as the class that declares it.
    static func error(_ problems: [SchemaProblem]) -> StrataError {
        var known = Set<SchemaProblem>()
        let lines = problems.filter { known.insert($0).inserted }.enumerated().sorted { left, right in
            (left.element.className, left.offset) < (right.element.className, right.offset)
        }
        return StrataError(
            .invalidInput,
            "The schema is invalid: " + (lines.count == 1 ? "" : "\(lines.count) mistakes:")
                + lines.map { (lines.count == 1 ? "" : "\n- ") + $0.element.text }.joined() + ".")
    }
}
