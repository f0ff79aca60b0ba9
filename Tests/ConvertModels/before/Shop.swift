import Foundation
import RealmSwift

@objc enum ShopOrderState: Int, RealmEnum {
    case open, paid, sent
}

final class ShopCustomer: ShopRecord {
    @objc dynamic var name: String = ""
    @objc dynamic var email: String? = nil
    @objc dynamic var address: ShopAddress?
    let age = RealmOptional<Int>()
    let discount = RealmProperty<Double?>()
    let note = RealmProperty<AnyRealmValue>()
    let orders = List<ShopOrder>()
    let nicknames = List<String>()
    let tags = MutableSet<String>()
    let settings = Map<String, Int>()

    // MARK: - What is not stored

    var isSelected = false
    lazy var greeting: String = { "Dear \(name)" }()
    static let anonymous = "nobody"

    var total: Double {
        orders.reduce(0) { $0 + $1.amount }
    }

    override static func indexedProperties() -> [String] {
        return ["name", #keyPath(ShopCustomer.email)]
    }

    convenience init(name: String, age: Int? = nil) {
        self.init()
        self.name = name
        self.age.value = age
        discount.value = age.map { $0 > 65 ? 0.1 : 0 }
    }
}

@objcMembers
public class ShopOrder: Object {
    dynamic var number = 0
    dynamic var amount: Double = 0.0, weight: Double = 0
    dynamic var state = ShopOrderState.open
    public dynamic var comment: String?
    let discountedState = RealmProperty<ShopOrderState?>()
    let customers = LinkingObjects(fromType: ShopCustomer.self, property: "orders")
    let lines: List<ShopLine> = List<ShopLine>()
    dynamic var cached = ""
    var parent: LinkingObjects<ShopBundle> = LinkingObjects(fromType: ShopBundle.self, property: #keyPath(ShopBundle.orders))

    public override class func primaryKey() -> String? { #keyPath(ShopOrder.number) }

    public override class func ignoredProperties() -> [String] { ["cached"] }

    @objc func pay() {
        state = .paid
    }
}

class ShopAddress: EmbeddedObject {
    @objc dynamic var street = "", city = ""
    @objc
    dynamic var zip: String?
    let houseNumber = RealmOptional<Int32>(7)
}

class ShopLine: EmbeddedObject {
    @objc dynamic var text = ""
    @objc dynamic var pieces = 1
    @objc dynamic var product: ShopProduct?
}

@objc(Product)
public class ShopProduct: Object {
    @objc dynamic var code: ObjectId = ObjectId.generate()
    @objc dynamic var price: Decimal128 = 0
    @objc dynamic var picture: Data? = nil
    @objc public dynamic var `class`: String = "A"
}

class ShopBundle: Object {
    let orders = List<ShopOrder>()
    let skipped = List<ShopOrder>()
    @objc dynamic var title = ""

    override static func ignoredProperties() -> [String] {
        return ["skipped"]
    }
}
