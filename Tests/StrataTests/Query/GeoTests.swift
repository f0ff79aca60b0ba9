// SPDX-License-Identifier: MIT

import Foundation
import Strata
import Testing

class Location: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

/// A place as a struct, stored as an embedded object.
struct Coordinates: CustomPersistable {
    var latitude: Double, longitude: Double
    init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
    init(persistedValue: Location) {
        self.init(latitude: persistedValue.coordinates.last ?? 0, longitude: persistedValue.coordinates.first ?? 0)
    }
    var persistableValue: Location { Location(latitude, longitude) }
}

class NoPlace: EmbeddedObject {
    @Persisted var coordinates: List<Double>
}

class Cafe: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: Location?
    @Persisted var terrace: Coordinates?
    @Persisted var nowhere: NoPlace?
    @Persisted var rivals: List<Cafe>

    convenience init(_ name: String, _ latitude: Double, _ longitude: Double) {
        self.init()
        self.name = name
        location = Location(latitude, longitude)
        terrace = Coordinates(latitude: latitude, longitude: longitude)
    }
}

private let cafeTypes: [ObjectBase.Type] = [Cafe.self, Location.self, NoPlace.self]

@Suite struct GeoTests {
    private func withCafes(_ body: (Results<Cafe>) throws -> Void) throws {
        try withRealm(cafeTypes) { realm in
            try realm.write {
                realm.add(Cafe("Rostock", 54.09, 12.14))
                realm.add(Cafe("Berlin", 52.52, 13.40))
                realm.add(Cafe("Quito", -0.18, -78.47))
                let moved = Cafe("Moved", 52.52, 13.40)
                moved.location?.type = "Polygon"
                moved.terrace = nil
                realm.add(moved)
                realm.create(Cafe.self, value: ["name": "Unknown"])
            }
            try body(realm.objects(Cafe.self).sorted(by: \.name))
        }
    }

    private func names(_ cafes: Results<Cafe>) -> [String] { cafes.map(\.name) }

    @Test func `S141: places in boxes, circles and polygons`() throws {
        try withCafes { cafes in
            let germany = try #require(GeoBox(bottomLeft: (47, 5), topRight: (55, 15)))
            #expect(names(cafes.where { $0.location.geoWithin(germany) }) == ["Berlin", "Rostock"])
            #expect(names(cafes.filter("location IN %@", germany)) == ["Berlin", "Rostock"])
            let radius = try #require(Distance.kilometers(50))
            let circle = try #require(GeoCircle(center: (54, 12), radius: radius))
            #expect(names(cafes.where { $0.location.geoWithin(circle) }) == ["Rostock"])
            #expect(names(cafes.where { !$0.location.geoWithin(circle) }) == ["Berlin", "Moved", "Quito", "Unknown"])
            let hole = [(53.0, 13.0), (52.0, 13.0), (52.0, 14.0), (53.0, 14.0), (53.0, 13.0)]
            let ring = [(55.0, 5.0), (47.0, 5.0), (47.0, 15.0), (55.0, 15.0), (55.0, 5.0)]
            let polygon = try #require(GeoPolygon(outerRing: ring, holes: hole))
            #expect(names(cafes.where { $0.location.geoWithin(polygon) }) == ["Rostock"])
            let whole = try #require(GeoPolygon(outerRing: ring))
            #expect(names(cafes.where { $0.location.geoWithin(whole) && $0.name != "Berlin" }) == ["Rostock"])
            #expect(names(cafes.where { $0.terrace.geoWithin(germany) }) == ["Berlin", "Rostock"])
            let (text, arguments) = Query<Cafe>._constructForTesting().location.geoWithin(germany)._constructPredicate()
            #expect(text == "(location IN %@)" && arguments.first as? GeoBox == germany)
        }
    }

    @Test func `S141: through links`() throws {
        try withRealm(cafeTypes) { realm in
            try realm.write {
                let cafe = Cafe("a", 1, 1), rival = Cafe("b", 50, 10)
                cafe.rivals.append(rival)
                realm.add(cafe)
            }
            let box = try #require(GeoBox(bottomLeft: (40, 0), topRight: (60, 20)))
            #expect(realm.objects(Cafe.self).where { $0.rivals.location.geoWithin(box) }.map(\.name) == ["a"])
        }
    }

    @Test func `S142: places and shapes that do not exist are nil`() throws {
        #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil && GeoPoint(latitude: -91, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 180.1) == nil && GeoPoint(latitude: 0, longitude: -181) == nil)
        #expect(
            GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil && GeoPoint(latitude: .nan, longitude: 0) == nil)
        #expect(
            GeoPoint(latitude: 0, longitude: .nan) == nil && GeoPoint(latitude: 0, longitude: 0, altitude: .nan) == nil)
        let point = try #require(GeoPoint(latitude: 90, longitude: -180, altitude: 5))
        #expect(point.latitude == 90 && point.longitude == -180 && point.altitude == 5)
        #expect(GeoBox(bottomLeft: (0, 0), topRight: (0, 200)) == nil)
        let open = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)], closed = open + [open[0]]
        #expect(GeoPolygon(outerRing: open) == nil && GeoPolygon(outerRing: closed) != nil)
        #expect(GeoPolygon(outerRing: [(0.0, 0.0), (0.0, 1.0), (0.0, 0.0)]) == nil)
        #expect(
            GeoPolygon(outerRing: closed, holes: open) == nil && GeoPolygon(outerRing: closed, holes: [closed]) != nil)
        #expect(GeoPolygon(outerRing: [(0.0, 0.0), (0.0, 1.0), (1.0, 181.0), (0.0, 0.0)]) == nil)
        #expect(
            GeoCircle(center: (0, 0), radiusInRadians: -1) == nil
                && GeoCircle(center: (0, 0), radiusInRadians: .nan) == nil)
        #expect(GeoCircle(center: point, radiusInRadians: 0.5)?.radiusInRadians == 0.5)
    }

    @Test func `S142: polygons that cannot be are refused by the query`() async {
        let crossing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(cafeTypes) { realm in
                let bow = GeoPolygon(outerRing: [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])!
                _ = realm.objects(Cafe.self).where { $0.location.geoWithin(bow) }.count
            }
        }
        expect(crossing, says: "Strata:")
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(cafeTypes) { realm in
                let ring = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)]
                let hole = ring.map { ($0.0 + 20, $0.1 + 20) }
                let polygon = GeoPolygon(outerRing: ring, holes: hole)!
                _ = realm.objects(Cafe.self).where { $0.location.geoWithin(polygon) }.count
            }
        }
        expect(outside, says: "Strata:")
    }

    @Test func `S141: a class without the properties of a place is refused`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(cafeTypes) { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Cafe.self).where { $0.nowhere.geoWithin(box) }.count
            }
        }
        expect(result, says: "type")
    }

    @Test func `S143: distances`() throws {
        #expect(Distance.kilometers(6378.1)?.radians == 1 && Distance.radians(1)?.asKilometers() == 6378.1)
        let mile = try #require(Distance.miles(1)?.asKilometers())
        #expect(abs(mile - 1.609344) < 1e-12 && Distance.degrees(180)?.radians == .pi)
        #expect(
            abs((Distance.kilometers(1.609344)?.asMiles() ?? 0) - 1) < 1e-12
                && Distance.radians(.pi)?.asDegrees() == 180)
        #expect(Distance.kilometers(-1) == nil && Distance.miles(.nan) == nil && Distance.degrees(-0.1) == nil)
        #expect(Distance.radians(.nan) == nil && Distance.kilometers(1)! < Distance.miles(1)!)
    }
}
