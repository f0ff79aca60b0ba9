import RealmSwift

class DoubtItem: Object {
    @objc dynamic var name = ""
}
