// SPDX-License-Identifier: MIT
// EngineArgument.swift -- what the placeholders of a predicate stand for.

import CStrata

/// What a placeholder of a predicate stands for. Its bytes live in the arena that it was made with.
typealias EngineArgument = strata_argument

extension strata_argument {
    static func value(_ value: EngineValue) -> strata_argument {
        var argument = strata_argument()
        argument.value = value
        return argument
    }

    /// An object that is in no realm: equal to nothing, also not to null.
    static var nothing: strata_argument {
        var argument = strata_argument()
        argument.kind = .STRATA_ARGUMENT_NOTHING
        return argument
    }

    static func list(_ values: [EngineValue], _ arena: ValueArena) -> strata_argument {
        var argument = strata_argument()
        argument.kind = .STRATA_ARGUMENT_LIST
        argument.values = arena.copy(values)
        argument.value_count = UInt32(values.count)
        return argument
    }

    static func box(southWest: EnginePoint, northEast: EnginePoint, _ arena: ValueArena) -> strata_argument {
        shape(.STRATA_BOX, [southWest, northEast], arena)
    }

    /// - Parameter radius: as an angle at the centre of the earth.
    static func circle(_ center: EnginePoint, radius: Double, _ arena: ValueArena) -> strata_argument {
        shape(.STRATA_CIRCLE, [center], arena) { $0.radius = radius }
    }

    /// - Parameter rings: the outer one, then those of holes.
    static func polygon(_ rings: [[EnginePoint]], _ arena: ValueArena) -> strata_argument {
        shape(.STRATA_POLYGON, Array(rings.joined()), arena) { shape in
            shape.ring_sizes = arena.copy(rings.map { UInt32($0.count) })
            shape.ring_count = UInt32(rings.count)
        }
    }

    private static func shape(
        _ kind: strata_shape_kind, _ points: [EnginePoint], _ arena: ValueArena,
        _ body: (inout strata_shape) -> Void = { _ in }
    ) -> strata_argument {
        var shape = strata_shape()
        shape.kind = kind
        shape.points = arena.copy(points)
        shape.point_count = UInt32(points.count)
        body(&shape)
        var argument = strata_argument()
        argument.kind = .STRATA_ARGUMENT_SHAPE
        argument.shape = arena.copy([shape])
        return argument
    }
}

/// A point on the earth.
typealias EnginePoint = strata_geo_point

extension strata_geo_point {
    static func point(latitude: Double, longitude: Double) -> strata_geo_point {
        strata_geo_point(longitude: longitude, latitude: latitude)
    }
}
