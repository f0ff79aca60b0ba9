// SPDX-License-Identifier: MIT
// Realm+Observing.swift -- observing a realm as a whole.

extension Realm {
    /// Calls a closure whenever the realm shows another version: at the end of each of its writes, and when it moves on
    /// to what others have committed. What changed is not told; observe objects or collections for that.
    ///
    /// ```swift
    /// let token = realm.observe { notification, realm in print(notification, realm.isEmpty) }
    /// ```
    ///
    /// With ``autorefresh`` off, `.refreshRequired` tells that others have committed, of one commit perhaps more than
    /// once. It costs nothing but the calls. Stops the program on a thread whose run loop does not run, and if the realm is
    /// frozen.
    ///
    /// - Parameter block: is called in the domain of the realm, as long as the token exists.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        let configuration = configuration, session = Unmanaged.passUnretained(session)
        let observation = self.session.observe(.realm, nil, tellsFirst: false, "the realm") { observed in
            // The session is open while it tells.
            let realm = Realm(session.takeUnretainedValue(), configuration)
            switch observed {
            case .refreshRequired: block(.refreshRequired, realm)
            case .skipped: break
            case .initial, .changes, .didChange: block(.didChange, realm)
            }
        }
        return NotificationToken(observation, self.session)
    }
}
