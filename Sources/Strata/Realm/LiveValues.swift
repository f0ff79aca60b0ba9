// SPDX-License-Identifier: MIT
// LiveValues.swift -- the number, the sum and the first elements of a collection, kept up. An addition to Realm's API.

extension RealmCollection {
    /// How many elements there are, and again whenever there are more or fewer: for a loop, see ``LiveChanges``.
    ///
    /// ```swift
    /// for await count in realm.objects(Dog.self).where({ $0.age > 3 }).counts() {
    ///     print(count)
    ///     break  // or go on until the task is cancelled
    /// }
    /// ```
    ///
    /// Each commit costs a test of the objects that it changed; nothing is counted again.
    public func counts() -> LiveChanges<Int> {
        LiveChanges(
            observe: { tell in
                var count = 0
                return observe(keyPaths: []) { change in
                    switch change {
                    case .initial(let all):
                        count = all.count
                        tell(count)
                    case .update(_, let deletions, let insertions, _):
                        count += insertions.count - deletions.count
                        if insertions.count != deletions.count { tell(count) }
                    case .error: break
                    }
                }
            }, isOver: { isInvalidated })
    }

    /// The first elements, and again whenever one of them came, went, moved or was modified: for a loop, see
    /// ``LiveChanges``.
    ///
    /// ```swift
    /// for await youngest in realm.objects(Dog.self).sorted(by: \.age).prefixes(3) {
    ///     print(youngest.map(\.name))
    ///     break
    /// }
    /// ```
    ///
    /// A commit that concerns none of them costs no look at an element. It is much cheaper than to observe
    /// `limit(_:)`, which is found again.
    ///
    /// - Parameters:
    ///   - count: how many, at most.
    ///   - keyPaths: the properties that make an object count as modified; nil for all.
    public func prefixes(_ count: Int, keyPaths: [String]? = nil) -> LiveChanges<[Element]> {
        if count < 0 { misuse("prefixes(\(count)): the number of elements is negative") }
        return LiveChanges(
            observe: { tell in
                observe(keyPaths: keyPaths) { change in
                    switch change {
                    case .initial(let all): tell(Array(all.prefix(count)))
                    case .update(let all, let deletions, let insertions, let modifications):
                        // Positions ascend.
                        let first = [deletions.first, insertions.first, modifications.first].compactMap { $0 }.min()
                        if let first, first < count { tell(Array(all.prefix(count))) }
                    case .error: break
                    }
                }
            }, isOver: { isInvalidated })
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The sum of a property, and again whenever it may be another one: for a loop, see ``LiveChanges``.
    ///
    /// A commit that assigns the property of none of the objects, and lets none come or go, costs what `counts()` does.
    /// After any other one the engine adds up again.
    public func sums<Value: _Persistable>(of keyPath: KeyPath<Element, Value>) -> LiveChanges<Value>
    where Value.PersistedType: AddableType {
        LiveChanges(
            observe: { tell in
                observe(keyPaths: [KeyPathNames.joined(keyPath)]) { change in
                    switch change {
                    case .initial(let all), .update(let all, _, _, _): tell(all.sum(of: keyPath))
                    case .error: break
                    }
                }
            }, isOver: { isInvalidated })
    }
}
