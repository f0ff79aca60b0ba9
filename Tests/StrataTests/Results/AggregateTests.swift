// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

@Suite struct AggregateTests {
    @Test func `S110 S111 S112: least, greatest, sum and average`() throws {
        try withRealm { realm in
            let none = realm.objects(Person.self)
            #expect(none.min(of: \.age) == nil && none.sum(of: \.age) == 0 && none.average(of: \.age) == nil)
            try realm.write {
                for id in 1...10 { realm.create(Person.self, value: ["id": id, "age": id, "score": Double(id) / 2]) }
                realm.create(Everything.self, value: ["intOrNil": 4, "int8": 100, "float": 1.5])
                realm.create(Everything.self, value: ["int8": 100, "float": 2])
            }
            let all = realm.objects(Person.self)
            #expect(all.min(of: \.age) == 1 && all.max(of: \.age) == 10 && all.sum(of: \.age) == 55)
            #expect(all.average(of: \.age) == 5.5 && all.sum(of: \.score) == 27.5)
            let some = all.where { $0.age > 8 }
            #expect(some.sum(of: \.age) == 19 && some.min(of: \.score) == 4.5)
            #expect(all.sum(ofProperty: "age") as Int == 55 && all.average(ofProperty: "score") == 2.75)
            let everything = realm.objects(Everything.self)
            #expect(everything.sum(of: \.intOrNil) == 4 && everything.average(of: \.intOrNil) == 4)
            #expect(everything.min(of: \.intOrNil) == 4 && everything.sum(of: \.float) == 3.5)
            #expect(everything.sum(of: \.int8) == -56)
            #expect(everything.max(of: \.date) != nil)
        }
    }
}
