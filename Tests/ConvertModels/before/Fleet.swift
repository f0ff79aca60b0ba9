#if canImport(RealmSwift)
import Foundation
import RealmSwift

#if os(iOS)
import UIKit
#endif

@objc
enum FleetState: Int {
    case idle
    case driving
}
extension FleetState: RealmEnum { }

class FleetVehicle: Object {
    // swiftlint:disable identifier_name
    @objc dynamic var id: UUID = UUID() // the key
    // swiftlint:enable identifier_name
    @objc dynamic public var plate: String = "" /* unique by law */, maker: String = "?"
    @objc dynamic var state: FleetState = .idle
    @objc dynamic var price: Decimal128 = 0
    #if os(iOS)
    @objc dynamic var image: Data?
    #elseif os(Linux)
    @objc dynamic var path: String?
    let sizes = RealmOptional<Int>()
    #endif
    let seats = RealmProperty<Int?>()
    let state2 = RealmProperty<FleetState?>()
    let drivers = List<FleetDriver>()
    fileprivate let log = List<String>()
    var selected: Bool = false

    override class func primaryKey() -> String? {
        // Found by it.
        return "id"
    }

    override class func indexedProperties() -> [String] {
        var names = super.indexedProperties()
        names.append("plate")
        return names
    }

    required init() { super.init() }
}

class FleetTruck: FleetVehicle {
    @objc dynamic var load = 0.0
    let trailers = RealmOptional<Int64>(2)
    let axles = RealmOptional<Int>.init()
    let doors: RealmOptional<Int> = RealmOptional<Int>(nil)
    var summary: String { "truck \(plate) \(trailers.value.map(String.init) ?? "-") \(seats.value!)" }
}

struct FleetReport {
    let vehicles: [FleetVehicle]
    var total: Int { vehicles.reduce(0) { $0 + ($1.seats.value ?? 0) } }
    var most: FleetVehicle? { vehicles.max(by: { a, b in (a.seats.value ?? 0) < (b.seats.value ?? 0) }) }
    func sorted() -> [Int] { vehicles.map { vehicle in vehicle.seats.value ?? -1 }.sorted() }
    mutating func clear() { vehicles.forEach { if let _ = $0.seats.value { $0.seats.value = nil } } }
}

class FleetDriver: Object {
    @objc dynamic var name = ""
    @objc dynamic var since = Date(), until: Date?
    let vehicles = LinkingObjects(fromType: FleetVehicle.self, property: "drivers")
    @objc dynamic var boss: FleetDriver? { didSet { bossChanged = true } }
    var bossChanged = false
}
#endif
