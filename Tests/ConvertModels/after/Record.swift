import Foundation
import RealmSwift

/// What all records of the shop have in common.
class ShopRecord: Object {
    @Persisted(primaryKey: true) var id = UUID().uuidString
    @Persisted var createdAt = Date()
    @Persisted private(set) var revision: Int = 0

    // Records are found by their id.

    func touch() { revision += 1 }
}
