// SPDX-License-Identifier: MIT
// AutoreleasePool.swift -- Apple's function of that name, as far as realms need it.

#if !canImport(ObjectiveC)
    /// Runs a closure, and keeps until its end what it opened on this thread without holding it.
    ///
    /// Programs for Apple's systems bound with it how long realms live. Here it keeps realms in memory, which would
    /// otherwise be gone with the last reference to them, and it ends, without a trace, writes that were begun inside
    /// and neither committed nor cancelled, unless somebody still holds their realm. Everything else is released as
    /// soon as nobody refers to it, in a pool or not. Pools may be nested.
    ///
    /// ```swift
    /// let configuration = Realm.Configuration(inMemoryIdentifier: "scratch", objectTypes: [Dog.self])
    /// let count = try autoreleasepool {
    ///     try Realm(configuration: configuration).beginWrite()
    ///     try Realm(configuration: configuration).add(Dog())
    ///     try Realm(configuration: configuration).commitWrite()
    ///     return try Realm(configuration: configuration).objects(Dog.self).count
    /// }
    /// ```
    ///
    /// A program that declares a function of this name uses its own.
    ///
    /// - Returns: what the closure returns.
    @_disfavoredOverload
    public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
        try ThreadScope.run(body)
    }
#endif
