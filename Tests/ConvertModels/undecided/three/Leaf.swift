import RealmSwift

class DoubtLeaf: DoubtItem {
    @objc dynamic var size = 0
}

class DoubtView: DoubtItem {
    var shown = false
}
