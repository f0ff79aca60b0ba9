// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

private class PrivatelyKept: Object { @Persisted var value: Int }

class GenericModel<T>: Object { @Persisted var value: Int }

class LeftOut: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct SchemaDiscoveryTests {
    @Test func `S1: all classes are found, private and local ones too, without being used`() throws {
        class LocallyKept: Object { @Persisted var value: Int }
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "discovery"))
        let names = Set(realm.schema.objectSchema.map(\.className))
        #expect(names.isSuperset(of: ["Person", "Dog", "Puppy", "Everything", "PrivatelyKept", "LocallyKept"]))
        #expect(names.isDisjoint(with: ["Object", "GenericModel", "LeftOut"]))
        #expect(realm.schema["Nobody"] == nil)
    }

    @Test func `S1: a private class can be used`() throws {
        try withRealm([PrivatelyKept.self]) { realm in
            try realm.write { realm.create(PrivatelyKept.self, value: ["value": 3]) }
            #expect(realm.objects(PrivatelyKept.self).first?.value == 3)
        }
    }
}
