import Foundation
import RealmSwift

/// What the program does with its shop.
struct ShopQueries {
    let realm: Realm

    func adults() -> [ShopCustomer] {
        realm.objects(ShopCustomer.self)
            .filter("age >= 18")
            .sorted(byKeyPath: #keyPath(ShopCustomer.name))
            .filter { ($0.age.value ?? 0) < 100 }
    }

    func describe(_ customer: ShopCustomer?) -> String {
        let age = customer?.age.value.map { "\($0) years" } ?? "of unknown age"
        return "\(customer?.name ?? "-"), \(age)"
    }

    func ages() -> [Int?] { realm.objects(ShopCustomer.self).map(\.age.value) }

    func grow(_ customer: ShopCustomer) throws {
        try realm.write {
            customer.age.value = (customer.age.value ?? 0) + 1
            customer.note.value = .string("grown")
            customer.orders.first?.discountedState.value = .sent
        }
    }
}
