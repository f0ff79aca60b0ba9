// SPDX-License-Identifier: MIT
// NotificationToken.swift -- who observes changes.

/// An observer of changes. Strata has no notifications, so that there is no token; the type is there for signatures
/// such as that of ``Realm/write(withoutNotifying:_:)``.
public final class NotificationToken {
    private init() {}
}
