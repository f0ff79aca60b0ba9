// SPDX-License-Identifier: MIT
// Input.swift -- where records come from, and their bytes.

import Foundation

enum Input: Equatable {
    case file(String)
    case standardInput
    /// What `apt-cache dumpavail` prints. It has nothing to say where `apt-get update` was never run.
    case available

    /// What dpkg has installed.
    static let installed = "/var/lib/dpkg/status"

    /// The inputs that were named, or those of this machine.
    static func chosen(_ names: [String]) throws(Failure) -> [Input] {
        if !names.isEmpty { return names.map { $0 == "-" ? .standardInput : .file($0) } }
        var inputs: [Input] = []
        if FileManager.default.fileExists(atPath: installed) { inputs.append(.file(installed)) }
        if program("apt-cache") != nil { inputs.append(.available) }
        guard !inputs.isEmpty else {
            throw Failure(
                "this machine has no Debian package records: neither \(installed) nor apt-cache is here.\n"
                    + "Name a file instead, such as a Packages file of a Debian mirror: packages FILE")
        }
        return inputs
    }

    /// What problems are reported with.
    var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "(standard input)"
        case .available: "apt-cache dumpavail"
        }
    }

    /// True if the user did not ask for this input: then it may be empty.
    var mayBeEmpty: Bool { self == .available }

    func bytes() throws(Failure) -> [UInt8] {
        switch self {
        case .standardInput:
            return try readAll(STDIN_FILENO)
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure("cannot read \(path): \(String(cString: strerror(errno)))") }
            defer { close(descriptor) }
            return try readAll(descriptor)
        case .available:
            return try output(of: "apt-cache", ["dumpavail"])
        }
    }

    private func readAll(_ descriptor: Int32) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size > 0 { bytes.reserveCapacity(Int(status.st_size)) }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count > 0 {
                bytes.append(contentsOf: buffer[..<count])
            } else if errno != EINTR {
                throw Failure("cannot read \(name): \(String(cString: strerror(errno)))")
            }
        }
        if let kind = compression(of: bytes) {
            throw Failure("\(name) is compressed (\(kind)); unpack it first, as in: \(kind) -dc FILE | packages -")
        }
        return bytes
    }

    private func output(of name: String, _ arguments: [String]) throws(Failure) -> [UInt8] {
        guard let url = Input.program(name) else { throw Failure("there is no program \(name)") }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = url
        process.arguments = arguments
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            throw Failure("cannot run \(url.path): \(error.localizedDescription)")
        }
        let bytes = try readAll(pipe.fileHandleForReading.fileDescriptor)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                "\(name) \(arguments.joined(separator: " ")) failed with status \(process.terminationStatus);"
                    + " to read dpkg's records alone: packages \(Input.installed)")
        }
        return bytes
    }

    private static func program(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").lazy.map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }
}

/// The program that would unpack `bytes`; nil if they are not compressed.
private func compression(of bytes: [UInt8]) -> String? {
    let kinds: [(name: String, magic: [UInt8])] = [
        ("gzip", [0x1F, 0x8B]), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]), ("bzip2", [0x42, 0x5A, 0x68]),
        ("lz4", [0x04, 0x22, 0x4D, 0x18]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
    ]
    return kinds.first { bytes.starts(with: $0.magic) }?.name
}
