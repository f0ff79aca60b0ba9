// SPDX-License-Identifier: MIT
// PlainGeo.swift -- shapes on the earth, and what lies in them, by the plainest means.

import Foundation
import Strata

/// A shape; degrees of latitude and longitude.
enum PlainGeo {
    case box(south: Double, west: Double, north: Double, east: Double)
    case circle(latitude: Double, longitude: Double, radians: Double)
    /// Corners around a middle, which all can be seen from there; a hole has corners of its own.
    case star(latitude: Double, longitude: Double, corners: [(Double, Double)], hole: [(Double, Double)])

    var argument: Any {
        switch self {
        case .box(let south, let west, let north, let east):
            return GeoBox(bottomLeft: (south, west), topRight: (north, east))!
        case .circle(let latitude, let longitude, let radians):
            return GeoCircle(center: (latitude, longitude), radiusInRadians: radians)!
        case .star(_, _, let corners, let hole):
            let holes = hole.isEmpty ? [] : [hole + [hole[0]]]
            return GeoPolygon(outerRing: corners + [corners[0]], holes: holes)!
        }
    }

    /// Whether an embedded object is a place that lies in the shape (S141, S142).
    func holds(_ row: PlainRow) -> Bool {
        guard case .string("Point")? = row.one["type"], let numbers = row.many["coordinates"]?.compactMap(\.number),
            numbers.count > 1
        else { return false }
        return holds(numbers[1], numbers[0])
    }

    private func holds(_ latitude: Double, _ longitude: Double) -> Bool {
        switch self {
        case .box(let south, let west, let north, let east):
            return south <= latitude && latitude <= north && west <= longitude && longitude <= east
        case .circle(let otherLatitude, let otherLongitude, let radians):
            return acos(min(1, Direction(latitude, longitude) * Direction(otherLatitude, otherLongitude))) <= radians
        case .star(let middleLatitude, let middleLongitude, let corners, let hole):
            let place = Direction(latitude, longitude), middle = Direction(middleLatitude, middleLongitude)
            return Self.star(middle, corners, place) && !Self.star(middle, hole, place)
        }
    }

    /// A star is made of triangles between its middle and two corners.
    private static func star(_ middle: Direction, _ corners: [(Double, Double)], _ place: Direction) -> Bool {
        corners.indices.contains { (index: Int) -> Bool in
            let next = corners[(index + 1) % corners.count]
            let triangle = [middle, Direction(corners[index].0, corners[index].1), Direction(next.0, next.1)]
            let sides = (0..<3).map { triangle[$0].cross(triangle[($0 + 1) % 3]) * place }
            return triangle[0] * place > 0 && (sides.allSatisfy { $0 >= 0 } || sides.allSatisfy { $0 <= 0 })
        }
    }
}

/// A place as a direction from the middle of the earth.
private struct Direction {
    let x: Double, y: Double, z: Double

    init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ latitude: Double, _ longitude: Double) {
        let (up, round) = (latitude * .pi / 180, longitude * .pi / 180)
        self.init(x: cos(up) * cos(round), y: cos(up) * sin(round), z: sin(up))
    }

    static func * (left: Direction, right: Direction) -> Double {
        left.x * right.x + left.y * right.y + left.z * right.z
    }

    func cross(_ other: Direction) -> Direction {
        Direction(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }
}

extension PlainMaker {
    /// Numbers that are no whole ones lie on no border, so that rounding decides nothing.
    private mutating func around(_ middle: Double, _ distance: Double) -> Double {
        middle + Double.random(in: -distance...distance, using: &random)
    }

    /// Latitude and longitude: on a raster, where borders of boxes are, or anywhere near.
    mutating func place() -> (Double, Double) {
        oneIn(2) ? (Double(below(11) - 5), Double(below(11) - 5)) : (around(0, 6), around(0, 6))
    }

    mutating func shape() -> PlainGeo {
        switch below(3) {
        case 0:
            let (south, west) = (Double(below(8) - 5), Double(below(8) - 5))
            return .box(south: south, west: west, north: south + Double(below(8)), east: west + Double(below(8)))
        case 1: return .circle(latitude: around(0, 5), longitude: around(0, 5), radians: abs(around(0, 0.1)))
        default:
            let (latitude, longitude) = (around(0, 4), around(0, 4)), count = 3 + below(6)
            let turn = around(0, 1)
            func corner(_ index: Int, _ distance: Double) -> (Double, Double) {
                let angle = (Double(index) + turn) * 2 * .pi / Double(count)
                return (latitude + distance * sin(angle), longitude + distance * cos(angle))
            }
            let corners = (0..<count).map { corner($0, 3 + abs(around(0, 4))) }
            let hole = oneIn(2) ? [] : (0..<3).map { index -> (Double, Double) in
                let angle = (Double(index) + turn) * 2 * .pi / 3
                return (latitude + 0.7 * sin(angle), longitude + 0.7 * cos(angle))
            }
            return .star(latitude: latitude, longitude: longitude, corners: corners, hole: hole)
        }
    }
}
