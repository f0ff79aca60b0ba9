// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that whoever uses Strata resolves no server. `make server` builds it and tries it out.
let package = Package(
    name: "server",
    dependencies: [
        .package(name: "Strata", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "notes",
            dependencies: [
                .product(name: "RealmSwift", package: "Strata"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        )
    ]
)
