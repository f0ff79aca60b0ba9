// SPDX-License-Identifier: MIT
// EngineStore+Pins.swift -- who holds which versions of a file.

import CStrata

extension EngineStore {
    /// The versions that are held, the oldest first. The corresponding C function is `strata_store_get_snapshots`.
    func pins() throws(StrataError) -> [Realm.Pin] { try snapshots().map(Realm.Pin.init) }

    private func snapshots() throws(StrataError) -> [strata_snapshot] {
        var room: UInt32 = 16
        while true {
            var all = [strata_snapshot](repeating: strata_snapshot(), count: Int(room))
            var count: UInt32 = 0, error = strata_error()
            let status = strata_store_get_snapshots(handle, &all, room, &count, &error)
            if status != .STRATA_OK { throw StrataError(status, &error) }
            if count <= room { return Array(all.prefix(Int(count))) }
            room = count
        }
    }

    /// Throws if a write that has begun would make more versions active than that: those that are held, and the one
    /// that it commits.
    func check(mostVersions most: UInt) throws(StrataError) {
        let pins = try pins()
        let held = Set(pins.map(\.versionsBehind)).union([0])
        if held.count < Int(clamping: most) { return }
        let old = pins.filter { $0.versionsBehind > 0 }.map(\.text)
        throw StrataError(
            .tooManyVersions,
            "a write would make \(held.count + 1) versions of \(path.isEmpty ? "the realm" : path) active, and "
                + "maximumNumberOfActiveVersions is \(most); held are: "
                + (old.isEmpty ? "the newest" : old.joined(separator: ", "))
                + "; let go of frozen objects and realms that are not needed, and refresh() realms of threads")
    }
}

extension Realm.Pin {
    fileprivate init(_ snapshot: strata_snapshot) {
        var snapshot = snapshot
        process = Int(snapshot.process)
        age = snapshot.age < 0 ? nil : snapshot.age
        versionsBehind = Int(clamping: snapshot.behind)
        label = withUnsafeBytes(of: &snapshot.label) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Such as `"frozen" of process 12, 3 versions old, for 1.5 s`.
    fileprivate var text: String {
        let age = age.map { ", for \(($0 * 10).rounded() / 10) s" } ?? ""
        return "\(label.isEmpty ? "a realm" : "\"\(label)\"") of process \(process), \(versionsBehind) "
            + "version\(versionsBehind == 1 ? "" : "s") old\(age)"
    }
}

extension EngineView {
    /// Names the view among the pins. The corresponding C function is `strata_view_set_label`.
    func setLabel(_ label: String) { strata_view_set_label(handle, label) }
}
