#if canImport(RealmSwift)
import Foundation
import RealmSwift

#if os(iOS)
import UIKit
#endif

enum FleetState: Int {
    case idle
    case driving
}
extension FleetState: PersistableEnum { }

class FleetVehicle: Object {
    // swiftlint:disable identifier_name
    @Persisted(primaryKey: true) var id: UUID = UUID() // the key
    // swiftlint:enable identifier_name
    @Persisted public var plate: String = "" /* unique by law */
    @Persisted public var maker: String = "?"
    @Persisted var state: FleetState = .idle
    @Persisted var price: Decimal128 = 0
    #if os(iOS)
    @Persisted var image: Data?
    #elseif os(Linux)
    @Persisted var path: String?
    @Persisted var sizes: Int?
    #endif
    @Persisted var seats: Int?
    @Persisted var state2: FleetState?
    @Persisted var drivers: List<FleetDriver>
    @Persisted fileprivate var log: List<String>
    var selected: Bool = false

    override class func indexedProperties() -> [String] {
        var names = super.indexedProperties()
        names.append("plate")
        return names
    }

    required init() { super.init() }
}

class FleetTruck: FleetVehicle {
    @Persisted var load = 0.0
    @Persisted var trailers: Int64? = 2
    @Persisted var axles: Int?
    @Persisted var doors: Int?
    var summary: String { "truck \(plate) \(trailers.map(String.init) ?? "-") \(seats!)" }
}

struct FleetReport {
    let vehicles: [FleetVehicle]
    var total: Int { vehicles.reduce(0) { $0 + ($1.seats ?? 0) } }
    var most: FleetVehicle? { vehicles.max(by: { a, b in (a.seats ?? 0) < (b.seats ?? 0) }) }
    func sorted() -> [Int] { vehicles.map { vehicle in vehicle.seats ?? -1 }.sorted() }
    mutating func clear() { vehicles.forEach { if let _ = $0.seats { $0.seats = nil } } }
}

class FleetDriver: Object {
    @Persisted var name = ""
    @Persisted var since = Date()
    @Persisted var until: Date?
    @Persisted(originProperty: "drivers") var vehicles: LinkingObjects<FleetVehicle>
    // FIXME: Strata: Realm did not run the observers of boss for stored objects; here each assignment does
    @Persisted var boss: FleetDriver? { didSet { bossChanged = true } }
    var bossChanged = false
}
#endif
