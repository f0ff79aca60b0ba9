// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct SchemaReflectionTests {
    @Test func `S16: descriptions have a fixed form`() throws {
        try withRealm { realm in
            let dog = try #require(realm.schema["Dog"])
            #expect(
                dog["name"]?.description == """
                    name {
                    \ttype = string;
                    \tcolumnName = name;
                    \tindexed = NO;
                    \tisPrimary = NO;
                    \tarray = NO;
                    \tset = NO;
                    \tdictionary = NO;
                    \toptional = NO;
                    }
                    """)
            #expect(dog.description.hasPrefix("Dog {\n\tname {\n\t\ttype = string;\n\t\tcolumnName = name;\n"))
            #expect(realm.schema.description.hasPrefix("Schema {\n\tDog {\n\t\tname {\n\t\t\ttype = string;\n"))
        }
    }

    @Test func `S17: unknown names give nil, and schemas are equal if they say the same`() throws {
        try withRealm { realm in
            #expect(realm.schema["Nothing"] == nil && realm.schema["Dog"]?["nothing"] == nil)
            try withRealm { other in
                #expect(realm.schema == other.schema && realm.schema["Dog"] == other.schema["Dog"])
                #expect(realm.schema["Dog"] != other.schema["Person"])
                #expect(realm.schema["Dog"]?["name"] == other.schema["Dog"]?["name"])
                #expect(realm.schema["Dog"]?["name"] != realm.schema["Dog"]?["age"])
            }
        }
    }

    @Test func `the schema knows the class, where the program does`() throws {
        let temporary = try TemporaryRealm()
        let realm = try temporary.open()
        #expect(realm.schema["Dog"]?.objectClass == Dog.self && Puppy().objectSchema.objectClass == Puppy.self)
        try realm.write { realm.create(Dog.self) }
        let other = try Realm(configuration: .init(fileURL: temporary.url, objectTypes: [Everything.self]))
        #expect(other.dynamicObjects("Dog").first?.objectSchema.objectClass == DynamicObject.self)
    }

    @Test func `S1: the base classes of models are no models`() throws {
        let names = try Realm(configuration: .init(inMemoryIdentifier: "bases")).schema.objectSchema.map(\.className)
        for name in ["ObjectBase", "Object", "EmbeddedObject", "DynamicObject"] { #expect(!names.contains(name)) }
        #expect(names.contains("Room") && names.contains("House"))
    }
}
