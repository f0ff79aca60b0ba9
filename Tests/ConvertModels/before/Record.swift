import Foundation
import RealmSwift

/// What all records of the shop have in common.
class ShopRecord: Object {
    @objc dynamic var id = UUID().uuidString
    @objc dynamic var createdAt = Date()
    @objc dynamic private(set) var revision: Int = 0

    // Records are found by their id.
    override static func primaryKey() -> String? {
        return "id"
    }

    func touch() { revision += 1 }
}
