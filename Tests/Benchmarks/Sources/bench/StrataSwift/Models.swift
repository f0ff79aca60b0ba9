// SPDX-License-Identifier: MIT

import RealmSwift
import Workload

final class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(originProperty: "dog") var owners: LinkingObjects<Person>

    convenience init(_ dog: bench_dog) {
        self.init()
        id = Int(dog.id)
        name = dog.nameText
    }
}

final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var score: Double
    @Persisted var email: String?
    @Persisted var dog: Dog?
    @Persisted var created: Int

    convenience init(_ person: bench_person, _ dog: Dog) {
        self.init()
        id = Int(person.id)
        name = person.nameText
        age = Int(person.age)
        score = person.score
        email = person.emailText
        self.dog = dog
        created = Int(person.created)
    }
}

/// A person that is in no store.
final class PlainPerson {
    var id: Int
    var name: String
    var age: Int
    var score: Double
    var email: String?
    var created: Int

    init(_ person: bench_person) {
        id = Int(person.id)
        name = person.nameText
        age = Int(person.age)
        score = person.score
        email = person.emailText
        created = Int(person.created)
    }
}

final class Series: Object {
    @Persisted var elements: List<Int>
}
