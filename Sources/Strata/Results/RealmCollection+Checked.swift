// SPDX-License-Identifier: MIT
// RealmCollection+Checked.swift -- filters that come from outside of the program, and may be wrong.

public import Foundation

extension RealmCollectionBase {
    /// The objects that meet a predicate which comes from elsewhere, such as from a user of a service, in their present
    /// order.
    ///
    /// ```swift
    /// let text = "nmae == 'Rex'"  // say of a request
    /// do {
    ///     print(try realm.objects(Dog.self).filter(checking: text).count)
    /// } catch let error as Realm.Error {
    ///     print(error.message)  // ... at column 1: no property 'nmae' in Dog; did you mean 'name'?
    /// }
    /// ```
    ///
    /// Throws `Realm.Error` with the code `.invalidInput` wherever `filter` stops the program because of the predicate:
    /// text that is none, names that the class does not have, values and operators that do not fit, too many conditions
    /// inside of each other, objects of another realm. Once it has returned, no use of the result stops because of the
    /// predicate. The values are read now, also those in a collection. Everything else about the result, such as its
    /// thread, is as with `filter`.
    ///
    /// A `#Predicate` is part of the program and is not taken here: one that no query can run stops the program.
    ///
    /// Whoever writes the predicate can ask for every property of the class and of those it links to, and for as much
    /// work as there are objects.
    public func filter(checking predicateFormat: String, _ args: Any...) throws -> Results<Element> {
        try filter(checking: NSPredicate(checking: predicateFormat, argumentArray: args))
    }

    /// The objects that meet a predicate which may not fit the class; throws as the same with a format. A predicate
    /// that is made of a block throws as well.
    public func filter(checking predicate: NSPredicate) throws -> Results<Element> {
        let results = results, source = try predicate.checkedSource()
        return results.findsObjects
            ? Results(try results.query.filtered(checking: source))
            : Results(try results.values.filtered(checking: source))
    }
}
