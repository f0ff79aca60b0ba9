import Foundation
import RealmSwift

class DoubtOwner: Object {
    @objc dynamic var pet: DoubtPet = DoubtPet()
    @objc dynamic weak var friend: DoubtOwner?
    @objc var size = 0
    @objc(theName) dynamic var name = ""
    @objc dynamic var count: NSNumber?
    @objc dynamic var (x, y) = (0, 0)
    let years = RealmOptional<Int>()
    @objc dynamic var born: NSDate = NSDate()
    @objc dynamic var seen = NSDate()
    @IBInspectable @objc dynamic var inspected = false
    let pets = LinkingObjects(fromType: DoubtPet.self, property: DoubtPet.ownerName)

    override class func ignoredProperties() -> [String] { DoubtPet.ignored }
    override class func primaryKey() -> String? { DoubtPet.key }
    override class func indexedProperties() -> [String] { ["name", DoubtPet.key] }
}

class DoubtPet: Object {
    static let key = "id"
    static let ownerName = "owner"
    static let ignored = ["size"]
    @Persisted var id = 0
    @objc dynamic var owner: DoubtOwner?
}

struct DoubtPlan {
    var years = DoubtYears()
    func sum(_ owner: DoubtOwner) -> Int {
        return years.value
            + (owner.years.value ?? 0)
    }
}

struct DoubtYears { var value = 0 }

func grow(_ owner: DoubtOwner) {
    owner.years.value = (owner.years.value ?? 0) + 1
}

class DoubtBox<Element: Object>: Object {
    @objc dynamic var width = 0

    override class func primaryKey() -> String? {
        return "width"
    }
    override class func indexedProperties() -> [String] {
        return ["width"]
    }

    func double() { width *= 2 }
}

class DoubtCrate: DoubtBox<DoubtPet> {
    @objc dynamic var height = 0

    override class func indexedProperties() -> [String] {
        return ["height"]
    }
    override class func ignoredProperties() -> [String] { return ["shown"] }
}

class DoubtRecord: RLMObject {
    @objc dynamic var title = ""
}

class DoubtShelf: RealmSwiftObject {
    @objc dynamic var title = ""
    let shade = RealmOptional<Int>()
    let weight: RealmProperty<Int?> = { let made = RealmProperty<Int?>(); made.value = 3; return made }()
    override class func ignoredProperties() -> [String] { ["shade"] }
    func total() -> Int { (shade.value ?? 0) + (weight.value ?? 0) }
}

class DoubtScreen {
    let zoom = RealmOptional<Int>()
    func shown() -> Int? { zoom.value ?? self.zoom.value }
}
