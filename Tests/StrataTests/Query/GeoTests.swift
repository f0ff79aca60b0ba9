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

class Unplaced: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Int>
}

class Cafe: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: Location?
    @Persisted var terrace: Coordinates?
    @Persisted var nowhere: NoPlace?
    @Persisted var unplaced: Unplaced?
    @Persisted var rivals: List<Cafe>

    convenience init(_ name: String, _ latitude: Double, _ longitude: Double) {
        self.init()
        self.name = name
        location = Location(latitude, longitude)
        terrace = Coordinates(latitude: latitude, longitude: longitude)
    }
}

private let cafeTypes: [ObjectBase.Type] = [Cafe.self, Location.self, NoPlace.self, Unplaced.self]

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

    private static let square = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0), (0.0, 0.0)]
    private static func shifted(_ ring: [(Double, Double)], _ by: Double, scale: Double = 1) -> [(Double, Double)] {
        ring.map { ($0.0 * scale + by, $0.1 * scale + by) }
    }

    private static func search(_ polygon: GeoPolygon) throws {
        try withRealm(cafeTypes) { realm in
            _ = realm.objects(Cafe.self).where { $0.location.geoWithin(polygon) }.count
        }
    }

    @Test func `S142: polygons that cannot be are refused by the query`() async {
        let crossing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.search(GeoPolygon(outerRing: [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])!)
        }
        expect(crossing, says: "edges of a polygon cross: 1 of the outer ring and 3 of the outer ring")
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.search(GeoPolygon(outerRing: Self.square, holes: [Self.shifted(Self.square, 20)])!)
        }
        expect(outside, says: "hole 1 of a polygon does not lie inside its outer ring")
        let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holes = [Self.shifted(Self.square, 2, scale: 0.5), Self.shifted(Self.square, 4, scale: 0.1)]
            try Self.search(GeoPolygon(outerRing: Self.square, holes: holes)!)
        }
        expect(nested, says: "hole 2 of a polygon lies inside its hole 1")
        let double = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let hole = [(0.0, 0.0), (0.0, 10.0), (5.0, 5.0), (0.0, 0.0)]
            try Self.search(GeoPolygon(outerRing: Self.square, holes: [hole])!)
        }
        expect(
            double,
            says: "a polygon has the edge from longitude 0, latitude 0 to 10, 0 twice, in the outer ring and in hole 1")
        let overlapping = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holes = [Self.shifted(Self.square, 2, scale: 0.3), Self.shifted(Self.square, 3, scale: 0.3)]
            try Self.search(GeoPolygon(outerRing: Self.square, holes: holes)!)
        }
        expect(overlapping, says: "edges of a polygon cross: 2 of hole 1 and 1 of hole 2")
    }

    @Test func `S142: polygons are refused when the query is made, in every form of it`() async {
        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let polygon = GeoPolygon(outerRing: Self.square, holes: [Self.shifted(Self.square, 20)])!
            try withRealm(cafeTypes) { realm in _ = realm.objects(Cafe.self).filter("location IN %@", polygon) }
        }
        expect(text, says: "hole 1 of a polygon does not lie inside its outer ring")
        let closure = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let polygon = GeoPolygon(outerRing: Self.square, holes: [Self.shifted(Self.square, 20)])!
            try withRealm(cafeTypes) { realm in _ = realm.objects(Cafe.self).where { $0.location.geoWithin(polygon) } }
        }
        expect(closure, says: "hole 1 of a polygon does not lie inside its outer ring")
        let across = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.search(GeoPolygon(outerRing: Self.square, holes: [Self.shifted(Self.square, 5)])!)
        }
        expect(across, says: "edges of a polygon cross")
        let around = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Self.search(GeoPolygon(outerRing: Self.square, holes: [Self.shifted(Self.square, -2, scale: 2)])!)
        }
        expect(around, says: "hole 1 of a polygon does not lie inside its outer ring")
    }

    @Test func `S142: the boundary of a box is inside, altitudes are ignored`() throws {
        try withRealm(cafeTypes) { realm in
            try realm.write {
                for (name, latitude, longitude) in [
                    ("corner", 10.0, 20.0), ("edge", 15.0, 20.0), ("top", 20.0, 30.0), ("below", 9.999, 25.0),
                    ("beside", 15.0, 30.001), ("inside", 15, 25),
                ] { realm.add(Cafe(name, latitude, longitude)) }
                realm.objects(Cafe.self).filter("name == 'inside'").first?.location?.coordinates.append(250)
            }
            let box = try #require(GeoBox(bottomLeft: (10, 20), topRight: (20, 30)))
            let found = realm.objects(Cafe.self).where { $0.location.geoWithin(box) }
            #expect(Set(found.map(\.name)) == ["corner", "edge", "top", "inside"])
        }
    }

    @Test func `S141: what is no place is refused`() async {
        let untyped = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(cafeTypes) { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Cafe.self).where { $0.nowhere.geoWithin(box) }.count
            }
        }
        expect(
            untyped,
            saysAll: "the predicate \"(nowhere IN %@)\" cannot be used on Cafe: at column 2: NoPlace needs a property "
                + "'type', a string, and 'coordinates', a list of doubles, to lie in a shape")
        let unplaced = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withRealm(cafeTypes) { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Cafe.self).filter("name == 'a' || unplaced IN %@", box).count
            }
        }
        expect(
            unplaced,
            saysAll: "the predicate \"name == 'a' || unplaced IN %@\" cannot be used on Cafe: at column 16: "
                + "Unplaced needs a property 'type', a string, and 'coordinates', a list of doubles, to lie in a shape")
        let top = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Tree.self).filter("leaf IN %@", box)
            }
        }
        expect(
            top,
            saysAll: "the predicate \"leaf IN %@\" cannot be used on Tree: at column 1: Leaf is no embedded class; "
                + "only those lie in shapes")
        let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try withTrees { realm in
                let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
                _ = realm.objects(Tree.self).filter("int IN %@", box)
            }
        }
        expect(
            value,
            saysAll: "the predicate \"int IN %@\" cannot be used on Tree: at column 1: 'int' of Tree is an int; "
                + "only links to embedded objects with a point lie in shapes")
    }

    @Test func `S143: distances`() throws {
        #expect(Distance.kilometers(6378.1)?.radians == 1 && Distance.radians(1)?.asKilometers() == 6378.1)
        let mile = try #require(Distance.miles(1)?.asKilometers())
        #expect(abs(mile - 1.609344) < 1e-12 && Distance.degrees(180)?.radians == .pi)
        #expect(
            abs((Distance.kilometers(1.609344)?.asMiles() ?? 0) - 1) < 1e-12
                && Distance.radians(.pi)?.asDegrees() == 180)
        #expect(Distance.kilometers(-1) == nil && Distance.miles(.nan) == nil && Distance.degrees(-0.1) == nil)
        #expect(Distance.kilometers(.nan) == nil && Distance.miles(-1) == nil && Distance.degrees(.nan) == nil)
        #expect(Distance.radians(-1) == nil && Distance.kilometers(0)?.radians == 0)
        #expect(Distance.miles(1)?.radians == 1609.344 / 6_378_100)
        #expect(Distance.kilometers(2)?.radians == 2000.0 / 6_378_100)
        #expect(Distance.radians(.nan) == nil && Distance.kilometers(1)! < Distance.miles(1)!)
    }
}
