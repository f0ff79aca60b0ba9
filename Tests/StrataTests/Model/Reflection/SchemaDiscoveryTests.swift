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

class AskedToBeThere: Object {
    @Persisted var value: Int
    /// How often the library asked.
    nonisolated(unsafe) static var asked = 0

    override class func shouldIncludeInDefaultSchema() -> Bool {
        asked += 1
        return false
    }
}

@Suite struct SchemaDiscoveryTests {
    @Test func `opening chosen classes asks nothing of others, opening all asks each once`() async {
        await #expect(processExitsWith: .success) {
            func open(_ types: [ObjectBase.Type]?) throws {
                let id = UUID().uuidString
                _ = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: id, objectTypes: types))
            }
            try open([PrivatelyKept.self])
            #expect(AskedToBeThere.asked == 0)
            try open(nil)
            try open(nil)
            #expect(AskedToBeThere.asked == 1)
        }
    }

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

    @Test func `S1: classes below generic ones are found, generic ones are not`() async {
        class LocallyBoxed: NamedBox<Int> {}
        class LocallyLabelled: TwiceLabelled<LocallyBoxed> {}
        // In a new process, where nothing has made any of these classes yet.
        await #expect(processExitsWith: .success) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "generic"))
            let names = Set(realm.schema.objectSchema.map(\.className))
            let models: Set = [
                "LabelledByInt", "TwiceLabelledByFunction", "BelowLabelledByInt", "HoldingDate", "EmbeddedByInt",
                "OwnerOfEmbedded", "PrivatelyLabelled", "LocallyLabelled", "BelowModelInNest", "BelowLabelledInNest",
                "BelowModelInSpace", "BelowModelInExtension", "BelowModelInArray", "LabelledInSpace",
            ]
            #expect(names.isSuperset(of: models), "\(models.subtracting(names))")
            let generic: Set = [
                "Labelled", "TwiceLabelled", "Holding", "EmbeddedLabelled", "ModelInNest", "LabelledInNest",
                "ModelInSpace", "ModelInExtension", "ModelInArray",
            ]
            #expect(names.isDisjoint(with: generic) && !names.contains { $0.contains("<") }, "\(names)")
            #expect(names.isDisjoint(with: ["IntBox", "LargeIntBox", "ModelBox", "LocallyBoxed", "Storage"]))
        }
    }

    @Test func `S1: a class below generic ones can be used`() throws {
        let types: [ObjectBase.Type] = [TwiceLabelledByFunction.self, BelowLabelledByInt.self, HoldingDate.self]
        let owners = [OwnerOfEmbedded.self, EmbeddedByInt.self, BelowModelInSpace.self, BelowModelInArray.self]
        try withRealm(types + owners) { realm in
            let date = Date(timeIntervalSince1970: 1)
            try realm.write {
                realm.create(TwiceLabelledByFunction.self, value: ["value": 1, "text": "t", "own": 2.5])
                realm.create(BelowLabelledByInt.self, value: ["value": 3, "own": 4.5, "last": true])
                realm.create(HoldingDate.self, value: ["value": date])
                realm.create(OwnerOfEmbedded.self, value: ["text": "owner", "part": ["value": 5]])
                realm.create(BelowModelInSpace.self, value: ["value": 6])
                realm.create(BelowModelInArray.self, value: ["value": "seven"])
            }
            let labelled = realm.objects(TwiceLabelledByFunction.self).where { $0.value == 1 && $0.text == "t" }.first
            #expect(labelled?.value == 1 && labelled?.text == "t" && labelled?.own == 2.5)
            let below = realm.objects(BelowLabelledByInt.self).sorted(by: \.value).first
            #expect(below?.value == 3 && below?.own == 4.5 && below?.last == true)
            #expect(realm.objects(HoldingDate.self).first?.value == date)
            #expect(realm.objects(OwnerOfEmbedded.self).filter("part.value == 5").first?.part?.value == 5)
            #expect(realm.objects(BelowModelInSpace.self).first?.value == 6)
            #expect(realm.objects(BelowModelInArray.self).first?.value == "seven")
        }
    }
}
