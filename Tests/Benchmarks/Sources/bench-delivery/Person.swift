// SPDX-License-Identifier: MIT
// Person.swift -- what is observed.

import Foundation
import RealmSwift

final class Person: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var score: Double
    @Persisted var key: Int
    @Persisted var created: Int

    convenience init(id: Int, score: Double, key: Int) {
        self.init()
        (self.id, self.score, self.key) = (id, score, key)
        name = "person \(id)"
    }
}

extension Realm {
    static func open(_ file: URL, _ queue: DispatchQueue? = nil) throws -> Realm {
        try Realm(configuration: .init(fileURL: file, objectTypes: [Person.self]), queue: queue)
    }

    /// The results that are observed.
    var members: Results<Person> { objects(Person.self).where { $0.score > Population.score } }

    func person(_ id: Int) -> Person { object(ofType: Person.self, forPrimaryKey: id)! }
}
