// SPDX-License-Identifier: MIT
// Models.swift -- what is stored.

import Foundation
import RealmSwift

class Author: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "author") var notes: LinkingObjects<Note>
}

class Note: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var text: String
    @Persisted(indexed: true) var written: Date
    @Persisted var author: Author?
}
