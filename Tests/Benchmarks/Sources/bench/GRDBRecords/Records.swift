// SPDX-License-Identifier: MIT

import GRDB
import Workload

/// Rows are read and written by hand and by the positions of their columns, which GRDB documents as faster than
/// `Codable` and than names.
struct DogRecord: FetchableRecord, TableRecord {
    static let databaseTableName = "dog"
    var id: Int64
    var name: String

    init(_ dog: bench_dog) {
        id = dog.id
        name = dog.nameText
    }

    init(row: Row) {
        id = row[0]
        name = row[1]
    }

    var arguments: StatementArguments { [id, name] }
}

struct PersonRecord: FetchableRecord, TableRecord {
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
        id = row[0]
        name = row[1]
        age = row[2]
        score = row[3]
        email = row[4]
        dog = row[5]
        created = row[6]
    }

    var arguments: StatementArguments { [id, name, age, score, email, dog, created] }
}

/// Statements that a connection prepares once and keeps: building and looking up the same SQL again is most of what
/// requests for single records take.
enum Prepared: String {
    case insertDog = "INSERT INTO dog VALUES (?, ?)"
    case insertPerson = "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?)"
    case updateScore = "UPDATE person SET score = ? WHERE id = ?"
    case updateAge = "UPDATE person SET age = ? WHERE id = ?"
    case updateCreated = "UPDATE person SET created = ? WHERE id = ?"
    case deletePerson = "DELETE FROM person WHERE id = ?"
    case person = "SELECT * FROM person WHERE id = ?"
    case dog = "SELECT * FROM dog WHERE id = ?"
    case backlinks = "SELECT count(*) FROM person WHERE dog = ?"
}

extension Database {
    func statement(_ prepared: Prepared) throws -> Statement { try cachedStatement(sql: prepared.rawValue) }
}

/// Fetches persons by their ids, all with one statement.
struct PersonFetch {
    private let statement: Statement

    init(_ db: Database) throws { statement = try db.statement(.person) }

    func callAsFunction(_ index: Int) throws -> PersonRecord? {
        try PersonRecord.fetchOne(statement, arguments: [bench_person_id(UInt64(index))])
    }
}
