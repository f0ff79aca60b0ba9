// SPDX-License-Identifier: MIT
// Item.swift -- something to buy.

import Foundation
import RealmSwift

class Item: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name: String
    @Persisted var amount = 1
    @Persisted var isBought = false
    @Persisted var added = Date()

    convenience init(_ name: String, amount: Int) {
        self.init()
        self.name = name
        self.amount = amount
    }

    /// As it is shown. Names may hold anything, also what a terminal would obey.
    var line: String {
        let plain = String(name.unicodeScalars.map { $0.properties.generalCategory == .control ? "." : Character($0) })
        return "[\(isBought ? "x" : " ")] \(plain)" + (amount == 1 ? "" : " (\(amount))")
    }
}
