// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

private final class IndexedAnyValue: Object {
    @Persisted(indexed: true) var label: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct SchemaDifferenceTests {
    // S12
    @Test(
        """
        Differs from Realm: a property of type `AnyRealmValue` can be declared with `@Persisted(indexed: true)`; \
        Realm has no such initialiser, so that only `indexedProperties()` leads there.
        """)
    func anyValuesAreIndexed() throws {
        try withRealm([IndexedAnyValue.self]) { realm in
            try realm.write { for label in 0..<10 { realm.create(IndexedAnyValue.self, value: [label]) } }
            #expect(realm.schema["IndexedAnyValue"]?["label"]?.isIndexed == true)
            #expect(realm.objects(IndexedAnyValue.self).where { $0.label == 7 }.count == 1)
        }
    }

    // S2
    @Test(
        """
        Differs from Realm: `objectTypes` without a class that another links to makes opening throw; Realm raises an \
        exception of Objective-C when the configuration is made, which Swift cannot catch.
        """)
    func incompleteClassesThrow() {
        let configuration = Realm.Configuration(inMemoryIdentifier: "incomplete", objectTypes: [Person.self])
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.message.contains("links to class Dog, which is not in the schema") == true)
    }
}
