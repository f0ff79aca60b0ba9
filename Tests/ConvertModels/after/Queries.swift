import Foundation
import RealmSwift

/// What the program does with its shop.
struct ShopQueries {
    let realm: Realm

    func adults() -> [ShopCustomer] {
        realm.objects(ShopCustomer.self)
            .filter("age >= 18")
            .sorted(byKeyPath: "name")
            .filter { ($0.age ?? 0) < 100 }
    }

    func describe(_ customer: ShopCustomer?) -> String {
        let age = customer?.age.map { "\($0) years" } ?? "of unknown age"
        return "\(customer?.name ?? "-"), \(age)"
    }

    func ages() -> [Int?] { realm.objects(ShopCustomer.self).map(\.age) }

    func grow(_ customer: ShopCustomer) throws {
        try realm.write {
            customer.age = (customer.age ?? 0) + 1
            customer.note = .string("grown")
            customer.orders.first?.discountedState = .sent
        }
    }
}
