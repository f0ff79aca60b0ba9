// SPDX-License-Identifier: MIT
// WriteProgress.swift -- how far something is that writes a file and does not tell.

import Glibc

/// Shows how many bytes this process has written since it was made, as Linux counts them: of copies and compactions,
/// which are one call of the engine. Where the system does not tell, it shows nothing.
final class WriteProgress: @unchecked Sendable {
    private static let pause: UInt32 = 100_000
    private let progress: Progress
    private let all: UInt64
    private let before: UInt64
    private var mutex = pthread_mutex_t()
    /// Protected by the mutex, as is the line.
    private var hasEnded = false

    init(_ what: String, of all: UInt64, isShown: Bool = true) {
        let before = Self.written
        progress = Progress(what, unit: "bytes", isShown: isShown && before != nil)
        self.all = all
        self.before = before ?? 0
        pthread_mutex_init(&mutex, nil)
        guard progress.isShown else { return }
        _ = runInBackground { [self] in while draw() { usleep(Self.pause) } }
    }

    private static var written: UInt64? {
        guard let file = fopen("/proc/self/io", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        while fgets(&line, 128, file) != nil {
            let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix("wchar: ") { return UInt64(text.dropFirst(7)) }
        }
        return nil
    }

    /// False if there is nothing to draw any more.
    @discardableResult
    private func draw() -> Bool {
        pthread_mutex_lock(&mutex)
        defer { pthread_mutex_unlock(&mutex) }
        if !hasEnded { progress.update(min((Self.written ?? 0) - before, all), of: all) }
        return !hasEnded
    }

    /// Takes the line away.
    func end() {
        draw()
        pthread_mutex_lock(&mutex)
        hasEnded = true
        progress.end()
        pthread_mutex_unlock(&mutex)
    }
}
