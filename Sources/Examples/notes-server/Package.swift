// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that whoever uses Strata resolves no server. `make server` builds it and tries it out.
let package = Package(
    name: "notes-server",
    products: [.library(name: "NoteService", targets: ["NoteService"])],
    dependencies: [
        .package(name: "Strata", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .target(
            name: "NoteService",
            dependencies: [
                .product(name: "RealmSwift", package: "Strata"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]
        ),
        .executableTarget(name: "notes", dependencies: ["NoteService"]),
    ]
)
