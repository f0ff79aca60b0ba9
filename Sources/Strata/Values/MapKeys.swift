// SPDX-License-Identifier: MIT
// MapKeys.swift -- what can be a key of a map.

/// A type of keys of a ``Map``. Only `String` conforms.
public protocol _MapKey: Hashable {
    /// The key as text.
    var _mapKey: String { get }
    /// The key that a text stands for.
    init(_mapKey: String)
}

extension String: _MapKey {
    public var _mapKey: String { self }
    public init(_mapKey: String) { self = _mapKey }
}

/// A key of an unmanaged map. As in the file, keys are equal only if they have the same bytes.
struct KeyBytes: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: KeyBytes, right: KeyBytes) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The rules for keys.
enum MapKeys {
    /// What is wrong with a key, and the fix; nil if nothing is.
    static func problem(_ key: String) -> String? {
        if key.utf8.first == UInt8(ascii: "$") || key.utf8.contains(UInt8(ascii: ".")) {
            return "the map key \"\(key)\" contains a '.' or starts with a '$'; percent-encode these characters"
        }
        if key.utf8.count > longest {
            return "the map key \"\(key.prefix(40))...\" has \(key.utf8.count) bytes; at most \(longest) are allowed"
        }
        return nil
    }

    private static let longest = 1024

    /// Whether one key stands before another: by their bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
