// SPDX-License-Identifier: MIT
// Unavailable.swift -- what Realm has and a local database on Linux cannot have, so that the compiler says what to do
// instead.
//
// Names that many programs and libraries give to types of their own are left out, because an import of both would be
// ambiguous: App, User, Credentials, Functions, Provider, UserAPIKey.

// MARK: Combine

/// A publisher of Combine, which does not exist on Linux.
@available(*, unavailable, message: "Combine does not exist on Linux; results are live, so read them after a change")
public struct RealmPublisher<Output> {
    public func sink(receiveValue: (Output) -> Void) -> RealmPublisher { never() }
    public func sink(receiveCompletion: (Never) -> Void, receiveValue: (Output) -> Void) -> RealmPublisher { never() }
    public func receive(on scheduler: Any) -> RealmPublisher { never() }
    public func subscribe(on scheduler: Any) -> RealmPublisher { never() }
    public func freeze() -> RealmPublisher { never() }
    public func threadSafeReference() -> RealmPublisher { never() }
    public func store<Cancellables>(in cancellables: inout Cancellables) { never() }
}

extension RealmCollectionBase {
    @available(*, unavailable, message: "Combine does not exist on Linux; collections are live, so read them again")
    public var objectWillChange: RealmPublisher<Void> { never() }

    @available(*, unavailable, message: "Combine does not exist on Linux; collections are live, so read them again")
    public var collectionPublisher: RealmPublisher<Self> { never() }

    @available(*, unavailable, message: "Combine does not exist on Linux; collections are live, so read them again")
    public var changesetPublisher: RealmPublisher<Self> { never() }
}

extension RealmKeyedCollection {
    @available(*, unavailable, message: "Combine does not exist on Linux; maps are live, so read them again")
    public var objectWillChange: RealmPublisher<Void> { never() }

    @available(*, unavailable, message: "Combine does not exist on Linux; maps are live, so read them again")
    public var collectionPublisher: RealmPublisher<Self> { never() }

    @available(*, unavailable, message: "Combine does not exist on Linux; maps are live, so read them again")
    public var changesetPublisher: RealmPublisher<Self> { never() }
}

extension ObjectBase {
    @available(*, unavailable, message: "Combine does not exist on Linux; objects are live, so read them again")
    public var objectWillChange: RealmPublisher<Void> { never() }

    @available(*, unavailable, message: "Combine does not exist on Linux; objects are live, so read them again")
    public var objectPublisher: RealmPublisher<Void> { never() }
}

extension Realm {
    @available(*, unavailable, message: "Combine does not exist on Linux; a realm is live, so read it again")
    public var objectWillChange: RealmPublisher<Void> { never() }
}

@available(*, unavailable, message: "Combine does not exist on Linux; the object is live, so read it again")
public func valuePublisher<Value>(_ object: Value, keyPaths: [String]? = nil) -> RealmPublisher<Value> { never() }

@available(*, unavailable, message: "Combine does not exist on Linux; the object is live, so read it again")
public func changesetPublisher<Value>(_ object: Value, keyPaths: [String]? = nil) -> RealmPublisher<Value> { never() }

// MARK: Key-value observing

/// The options of key-value observing, which does not exist on Linux. Not for use by programs.
public enum _KeyValueObserving { case new, old, initial, prior }

/// What key-value observing would tell. Not for use by programs.
public struct _KeyValueChange<Value> {
    public let newValue: Value?
    public let oldValue: Value?
}

extension ObjectBase {
    @available(*, unavailable, message: "key-value observing does not exist on Linux; use didSet of the property")
    public final func observe<Root, Value>(
        _ keyPath: KeyPath<Root, Value>, options: [_KeyValueObserving] = [],
        changeHandler: (Root, _KeyValueChange<Value>) -> Void
    ) -> Never { never() }

    @available(*, unavailable, message: "key-value observing does not exist on Linux; use didSet of the property")
    public final func addObserver(
        _ observer: Any, forKeyPath keyPath: String, options: [_KeyValueObserving] = [],
        context: UnsafeMutableRawPointer?
    ) { never() }

    @available(*, unavailable, message: "key-value observing does not exist on Linux; use didSet of the property")
    public final func removeObserver(_ observer: Any, forKeyPath keyPath: String) { never() }
}

// MARK: SwiftUI

@available(*, unavailable, message: "SwiftUI does not exist on Linux; keep the object itself, which is live")
@propertyWrapper
public struct ObservedRealmObject<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@available(*, unavailable, message: "SwiftUI does not exist on Linux; keep the object itself, which is live")
@propertyWrapper
public struct StateRealmObject<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

@available(*, unavailable, message: "SwiftUI does not exist on Linux; use realm.objects(_:), which is live")
@propertyWrapper
public struct ObservedResults<Element: Object> {
    public var wrappedValue: Results<Element> { never() }
    public init(_ type: Element.Type, configuration: Realm.Configuration? = nil) { never() }
}

@available(*, unavailable, message: "SwiftUI does not exist on Linux; use realm.objects(_:).sectioned(by:)")
@propertyWrapper
public struct ObservedSectionedResults<Key: _Persistable & Hashable, Element: Object> {
    public var wrappedValue: SectionedResults<Key, Element> { never() }
    public init(_ type: Element.Type, sectionKeyPath: KeyPath<Element, Key>) { never() }
}

@available(*, unavailable, message: "there is no sync and no SwiftUI; open a local realm with Realm(configuration:)")
@propertyWrapper
public struct AutoOpen {
    public var wrappedValue: Never { never() }
    public init(appId: String? = nil, timeout: UInt? = nil) { never() }
}

@available(*, unavailable, message: "there is no sync and no SwiftUI; open a local realm with Realm(configuration:)")
@propertyWrapper
public struct AsyncOpen {
    public var wrappedValue: Never { never() }
    public init(appId: String? = nil, timeout: UInt? = nil) { never() }
}

// MARK: Sync

@available(*, unavailable, message: "there is no sync; set fileURL or inMemoryIdentifier of Realm.Configuration")
public enum SyncConfiguration {}

@available(*, unavailable, message: "there is no sync; leave out what waits for a session")
public enum SyncSession {}

@available(*, unavailable, message: "there is no sync; leave out what sets it up")
public enum SyncManager {}

@available(*, unavailable, message: "there is no sync; derive from Object")
public typealias AsymmetricObject = Object

extension Realm {
    @available(*, unavailable, message: "there is no sync; leave out what waits for a session")
    public var syncSession: Never { never() }

    @available(*, unavailable, message: "there is no sync; all objects are in the file")
    public var subscriptions: Never { never() }
}

extension Realm.Configuration {
    @available(*, unavailable, message: "there is no sync; set fileURL or inMemoryIdentifier")
    public var syncConfiguration: Any? {
        get { never() }
        set { never() }
    }
}

/// The body of what the compiler lets nobody call.
private func never() -> Never { misuse("a declaration that is not available was used") }
