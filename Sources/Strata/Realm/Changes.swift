// SPDX-License-Identifier: MIT
// Changes.swift -- what observers of objects, collections and maps are told.

/// What became of an observed object.
@frozen public enum ObjectChange<T> {
    /// Not used: observing does not fail after it has begun.
    case error(_ error: any Swift.Error)
    /// Properties of the object were assigned.
    case change(_ object: T, _ properties: [PropertyChange])
    /// The object was deleted. This is the last that its observer is told.
    case deleted
}

/// A property that was assigned, perhaps to the value that it had.
@frozen public struct PropertyChange {
    /// The property.
    public let name: String
    /// What it was before; nil for collections, for inverse links, and if the write was one of the same realm.
    public let oldValue: Any?
    /// What it is now.
    public let newValue: Any?
}

/// How to get from the elements that an observer was told of last to those that there are now.
///
/// Delete, then insert, then look at the modified ones. An element that moved was deleted and inserted.
@frozen public enum RealmCollectionChange<CollectionType> {
    /// The elements that there are at first.
    case initial(CollectionType)
    /// The elements changed. `deletions` and `modifications` are positions before, `insertions` positions after the
    /// change; all ascend.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Not used: observing does not fail after it has begun.
    case error(any Swift.Error)
}

/// What became of the entries of an observed map.
@frozen public enum RealmMapChange<MapType: RealmKeyedCollection> {
    /// The entries that there are at first.
    case initial(MapType)
    /// Entries came, went, or have other values; also if an object that is a value was changed or deleted.
    case update(MapType, deletions: [MapType.Key], insertions: [MapType.Key], modifications: [MapType.Key])
    /// Not used: observing does not fail after it has begun.
    case error(any Swift.Error)
}

/// Is told of changes of a realm.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void

extension Realm {
    /// What an observer of a realm is told.
    @frozen public enum Notification: String, Sendable {
        /// The realm shows another version: it has committed, or moved on.
        case didChange = "RLMRealmDidChangeNotification"
        /// There is a newer version, and the realm does not move on by itself, because ``Realm/autorefresh`` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }
}
