// SPDX-License-Identifier: MIT
// Geo.swift -- points on the earth, and shapes in which they can lie.

/// A point on the earth.
public struct GeoPoint: Hashable, Sendable {
    /// Degrees north of the equator, from -90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, from -180 to 180.
    public let longitude: Double
    /// The height in metres, 0 or more. Queries ignore it.
    public let altitude: Double

    /// Creates a point; nil if a number is not in its range.
    public init?(latitude: Double, longitude: Double, altitude: Double = 0) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), altitude >= 0, altitude.isFinite else {
            return nil
        }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// A point of a latitude and a longitude.
    init?(_ coordinates: (Double, Double)) { self.init(latitude: coordinates.0, longitude: coordinates.1) }
}

/// The area between two parallels and two meridians, its borders included.
public struct GeoBox: Hashable, Sendable {
    /// The south-west corner.
    public let bottomLeft: GeoPoint
    /// The north-east corner.
    public let topRight: GeoPoint

    /// Creates a box of its corners.
    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Creates a box of the latitudes and longitudes of its corners; nil if one is not in its range.
    public init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }
}

/// The area inside of a ring of straight lines, perhaps with holes.
public struct GeoPolygon: Hashable, Sendable {
    /// The corners; the last one is the first one.
    public let outerRing: [GeoPoint]
    /// The corners of holes.
    public let holes: [[GeoPoint]]

    /// Creates a polygon. Each ring has four or more corners, the last of which is the first one; otherwise nil.
    ///
    /// A query stops the program if edges cross or coincide, if a hole is not inside of the outer ring, or if holes
    /// overlap.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]] = []) {
        for ring in [outerRing] + holes where ring.count < 4 || ring.first != ring.last { return nil }
        self.outerRing = outerRing
        self.holes = holes
    }

    /// Creates a polygon. Each ring has four or more corners, the last of which is the first one; otherwise nil.
    public init?(outerRing: [GeoPoint], holes: [GeoPoint]...) { self.init(outerRing: outerRing, holes: holes) }

    /// Creates a polygon of latitudes and longitudes; nil if one is not in its range, or as for corners.
    public init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]] = []) {
        guard let outer = Self.ring(outerRing) else { return nil }
        var inner: [[GeoPoint]] = []
        for hole in holes {
            guard let ring = Self.ring(hole) else { return nil }
            inner.append(ring)
        }
        self.init(outerRing: outer, holes: inner)
    }

    /// Creates a polygon of latitudes and longitudes; nil if one is not in its range, or as for corners.
    public init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    private static func ring(_ coordinates: [(Double, Double)]) -> [GeoPoint]? {
        let points = coordinates.compactMap { GeoPoint($0) }
        return points.count == coordinates.count ? points : nil
    }
}

/// The area around a point.
public struct GeoCircle: Hashable, Sendable {
    /// The middle.
    public let center: GeoPoint
    /// The radius as an angle at the centre of the earth.
    public let radiusInRadians: Double

    /// Creates a circle.
    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// Creates a circle; nil if the radius is negative or not a number.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard let radius = Distance.radians(radiusInRadians) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// Creates a circle around a latitude and a longitude; nil if one is not in its range.
    public init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    /// Creates a circle around a latitude and a longitude; nil if a number is not in its range.
    public init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }
}

/// A distance on the surface of the earth, which is treated as a sphere with a radius of 6,378.1 kilometres.
public struct Distance: Hashable, Sendable, Comparable {
    /// The distance as an angle at the centre of the earth.
    public let radians: Double

    private static let earthRadius = 6_378_100.0
    private static let metersPerMile = 1609.344

    private init?(_ radians: Double) {
        guard radians >= 0, radians.isFinite else { return nil }
        self.radians = radians
    }

    /// A distance in kilometres; nil if it is negative or not a number.
    public static func kilometers(_ kilometers: Double) -> Distance? { Distance(kilometers * 1000 / earthRadius) }
    /// A distance in miles; nil if it is negative or not a number.
    public static func miles(_ miles: Double) -> Distance? { Distance(miles * metersPerMile / earthRadius) }
    /// A distance in degrees; nil if it is negative or not a number.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }
    /// A distance in radians; nil if it is negative or not a number.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    /// The distance in kilometres.
    public func asKilometers() -> Double { radians * Self.earthRadius / 1000 }
    /// The distance in miles.
    public func asMiles() -> Double { radians * Self.earthRadius / Self.metersPerMile }
    /// The distance in degrees.
    public func asDegrees() -> Double { radians * 180 / .pi }

    /// Whether a distance is shorter.
    public static func < (left: Distance, right: Distance) -> Bool { left.radians < right.radians }
}

/// A shape in which a point can lie.
enum GeoShape {
    case box(GeoBox)
    case circle(GeoCircle)
    case polygon(GeoPolygon)

    /// The shape of a value of unknown type.
    init?(_ value: Any) {
        switch value {
        case let box as GeoBox: self = .box(box)
        case let circle as GeoCircle: self = .circle(circle)
        case let polygon as GeoPolygon: self = .polygon(polygon)
        default: return nil
        }
    }

    /// The shape in the form in which programs use it.
    var value: Any {
        switch self {
        case .box(let box): box
        case .circle(let circle): circle
        case .polygon(let polygon): polygon
        }
    }
}
