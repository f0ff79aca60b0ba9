// SPDX-License-Identifier: MIT
// Machine.swift -- what the figures were measured on.

import Foundation

struct Machine: Codable {
    var processor: String
    var cores: Int
    var kernel: String
    /// The kind of the file system that the files of a run lie on.
    var fileSystem: String

    init(folder: String) {
        processor = Self.value("model name", in: "/proc/cpuinfo") ?? "unknown processor"
        cores = ProcessInfo.processInfo.activeProcessorCount
        kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown kernel"
        fileSystem = Self.fileSystem(of: URL(fileURLWithPath: folder).standardizedFileURL.path)
    }

    var text: String { "\(processor), \(cores) cores, Linux \(kernel), files on \(fileSystem)" }

    private static func value(_ key: String, in path: String) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(separator: ":", maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
    }

    /// The one mounted deepest above a path.
    private static func fileSystem(of path: String) -> String {
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        var deepest = (depth: 0, kind: "an unknown file system")
        for mount in mounts.split(separator: "\n") {
            let fields = mount.split(separator: " ").map(String.init)
            guard fields.count > 2, fields[1].count >= deepest.depth else { continue }
            if fields[1] == "/" || path.hasPrefix(fields[1] + "/") { deepest = (fields[1].count, fields[2]) }
        }
        return deepest.kind
    }
}
