// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

/// A class that looks at itself when it is asked whether it is in the default schema.
private final class Reflecting: Object {
    @Persisted var number: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { self.init().objectSchema.properties.isEmpty }
}

@Suite struct SchemaReflectionTests {
    @Test func `S16: descriptions have a fixed form`() throws {
        try withRealm { realm in
            let dog = try #require(realm.schema["Dog"]), person = try #require(realm.schema["Person"])
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
            #expect(
                person["dog"]?.description == """
                    dog {
                    \ttype = object;
                    \tobjectClassName = Dog;
                    \tlinkOriginPropertyName = (null);
                    \tcolumnName = dog;
                    \tindexed = NO;
                    \tisPrimary = NO;
                    \tarray = NO;
                    \tset = NO;
                    \tdictionary = NO;
                    \toptional = YES;
                    }
                    """)
            #expect(person["id"]?.description.contains("\tindexed = YES;\n\tisPrimary = YES;\n\tarray = NO;") == true)
            #expect(dog.description.hasPrefix("Dog {\n\tname {\n\t\ttype = string;\n\t\tcolumnName = name;\n"))
            #expect(realm.schema.description.hasPrefix("Schema {\n\tDog {\n\t\tname {\n\t\t\ttype = string;\n"))
            #expect(realm.schema.description.hasSuffix("\n\t\t}\n\t}\n}"))
        }
    }

    @Test func `S16: a class prints all of its properties, the inverse links last`() throws {
        class PrintedLeaf: Object {
            @Persisted(originProperty: "leaf") var twigs: LinkingObjects<PrintedTwig>
            @Persisted var size: Int?
        }
        class PrintedTwig: Object {
            @Persisted var leaf: PrintedLeaf?
        }
        let schema = try #require(PrintedLeaf.sharedSchema())
        #expect(
            schema.description == """
                PrintedLeaf {
                \tsize {
                \t\ttype = int;
                \t\tcolumnName = size;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = NO;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = YES;
                \t}
                \ttwigs {
                \t\ttype = linking objects;
                \t\tobjectClassName = PrintedTwig;
                \t\tlinkOriginPropertyName = leaf;
                \t\tcolumnName = twigs;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = NO;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = NO;
                \t}
                }
                """)
        #expect(Room.sharedSchema()?.description.hasPrefix("Room (embedded) {\n\tname {\n") == true)
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

    @Test func `inverse links are computed properties, and found by their names as others are`() throws {
        try withRealm { realm in
            let dog = try #require(realm.schema["Dog"])
            #expect(dog.properties.map(\.name) == ["name", "age"])
            #expect(dog.computedProperties.map(\.name) == ["packs", "owners"])
            #expect(dog["packs"] == dog.computedProperties[0] && dog["packs"]?.type == .linkingObjects)
            #expect(realm.schema["Person"]?.computedProperties.isEmpty == true)
            class Dog: Object {
                @Persisted var name: String
                @Persisted var age: Int
                override class func shouldIncludeInDefaultSchema() -> Bool { false }
            }
            #expect(Dog.sharedSchema() != dog && Dog.sharedSchema()?.properties == dog.properties)
        }
    }

    @Test func `sharedSchema() is what every realm with the class has`() throws {
        try withRealm { realm in
            #expect(Person.sharedSchema() == realm.schema["Person"] && Person.sharedSchema() == Person().objectSchema)
            #expect(Person.sharedSchema()?.objectClass == Person.self)
        }
        #expect(Closet.sharedSchema()?.isEmbedded == true && Puppy.sharedSchema()?["name"]?.type == .string)
        #expect(Object.sharedSchema() == nil && EmbeddedObject.sharedSchema() == nil)
        #expect(DynamicObject.sharedSchema() == nil && ObjectBase.sharedSchema() == nil)
        let type: ObjectBase.Type = LabelledByInt.self
        #expect(type.sharedSchema()?.properties.map(\.name) == ["value", "own"])
        let threads = DispatchQueue.global()
        threads.sync { #expect(House.sharedSchema()?.primaryKeyProperty?.name == "id") }
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
        #expect(!names.contains { $0.contains("Projection") }, "nor are projections")
        #expect(names.contains("Room") && names.contains("House") && !names.contains("Reflecting"))
    }
}
