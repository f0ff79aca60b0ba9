import Foundation
import RealmSwift

enum ShopOrderState: Int, PersistableEnum {
    case open, paid, sent
}

final class ShopCustomer: ShopRecord {
    @Persisted(indexed: true) var name: String = ""
    @Persisted(indexed: true) var email: String?
    @Persisted var address: ShopAddress?
    @Persisted var age: Int?
    @Persisted var discount: Double?
    @Persisted var note: AnyRealmValue
    @Persisted var orders: List<ShopOrder>
    @Persisted var nicknames: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var settings: Map<String, Int>

    // MARK: - What is not stored

    var isSelected = false
    lazy var greeting: String = { "Dear \(name)" }()
    static let anonymous = "nobody"

    var total: Double {
        orders.reduce(0) { $0 + $1.amount }
    }

    convenience init(name: String, age: Int? = nil) {
        self.init()
        self.name = name
        self.age = age
        discount = age.map { $0 > 65 ? 0.1 : 0 }
    }
}

public class ShopOrder: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var amount: Double = 0.0
    @Persisted var weight: Double = 0
    @Persisted var state = ShopOrderState.open
    @Persisted public var comment: String?
    @Persisted var discountedState: ShopOrderState?
    @Persisted(originProperty: "orders") var customers: LinkingObjects<ShopCustomer>
    @Persisted var lines: List<ShopLine>
    var cached = ""
    @Persisted(originProperty: "orders") var parent: LinkingObjects<ShopBundle>

    func pay() {
        state = .paid
    }
}

class ShopAddress: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city = ""
    @Persisted
    var zip: String?
    @Persisted var houseNumber: Int32? = 7
}

class ShopLine: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var pieces = 1
    @Persisted var product: ShopProduct?
}

public class ShopProduct: Object {
    public override class func _realmObjectName() -> String? { "Product" }

    @Persisted var code: ObjectId = ObjectId.generate()
    @Persisted var price: Decimal128 = 0
    @Persisted var picture: Data?
    @Persisted public var `class`: String = "A"
}

class ShopBundle: Object {
    @Persisted var orders: List<ShopOrder>
    let skipped = List<ShopOrder>()
    @Persisted var title = ""

    override static func ignoredProperties() -> [String] {
        return ["skipped"]
    }
}
