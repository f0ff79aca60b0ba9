// SPDX-License-Identifier: MIT
// Query+Geo.swift -- conditions on points on the earth.

extension Query {
    /// The point lies in a box.
    ///
    /// A point is an embedded object with a property `type` of type `String`, which is "Point", and a property
    /// `coordinates` of type `List<Double>`: longitude, latitude, and perhaps an altitude, which is ignored.
    ///
    /// ```swift
    /// cafes.where { $0.location.geoWithin(GeoCircle(center: (54.1, 12.1), radius: .kilometers(2)!)!) }
    /// ```
    public func geoWithin<Place: EmbeddedObject>(_ box: GeoBox) -> Query<Bool> where T == Place? { within(.box(box)) }

    /// The point lies in a circle. The condition for a ``GeoBox`` says what a point is.
    public func geoWithin<Place: EmbeddedObject>(_ circle: GeoCircle) -> Query<Bool> where T == Place? {
        within(.circle(circle))
    }

    /// The point lies in a polygon. The condition for a ``GeoBox`` says what a point is.
    public func geoWithin<Place: EmbeddedObject>(_ polygon: GeoPolygon) -> Query<Bool> where T == Place? {
        within(.polygon(polygon))
    }

    private func within(_ shape: GeoShape) -> Query<Bool> { compare(.in, .constant(.shape(shape))) }
}

extension Query where T: _CustomPersistable, T.PersistedType: EmbeddedObject {
    /// The point that the value is stored as lies in a box.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { stored.geoWithin(box) }
    /// The point that the value is stored as lies in a circle.
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { stored.geoWithin(circle) }
    /// The point that the value is stored as lies in a polygon.
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { stored.geoWithin(polygon) }

    private var stored: Query<T.PersistedType?> { Query<T.PersistedType?>(node) }
}

extension Query where T: _CustomOptional, T._Stored: EmbeddedObject {
    /// The point that the value is stored as lies in a box.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { persistableValue.geoWithin(box) }
    /// The point that the value is stored as lies in a circle.
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { persistableValue.geoWithin(circle) }
    /// The point that the value is stored as lies in a polygon.
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { persistableValue.geoWithin(polygon) }
}
