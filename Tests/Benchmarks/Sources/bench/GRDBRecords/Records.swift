// SPDX-License-Identifier: MIT

import GRDB
import Workload

/// Rows are read and written by hand, which GRDB documents as faster than `Codable`.
struct DogRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "dog"
    var id: Int64
    var name: String

    init(_ dog: bench_dog) {
        id = dog.id
        name = dog.nameText
    }

    init(row: Row) {
        id = row["id"]
        name = row["name"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

struct PersonRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "person"
    var id: Int64
    var name: String
    var age: Int64
    var score: Double
    var email: String?
    var dog: Int64
    var created: Int64

    enum Columns {
        static let age = Column("age")
        static let score = Column("score")
        static let name = Column("name")
        static let dog = Column("dog")
        static let created = Column("created")
    }

    init(_ person: bench_person) {
        id = person.id
        name = person.nameText
        age = person.age
        score = person.score
        email = person.emailText
        dog = Int64(person.dog) + 1
        created = person.created
    }

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        age = row["age"]
        score = row["score"]
        email = row["email"]
        dog = row["dog"]
        created = row["created"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["age"] = age
        container["score"] = score
        container["email"] = email
        container["dog"] = dog
        container["created"] = created
    }
}
