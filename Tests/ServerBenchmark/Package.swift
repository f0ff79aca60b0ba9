// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that whoever uses Strata, or builds its example of a server, resolves no other database.
/// `make bench-server` runs it.
let package = Package(
    name: "bench-server",
    dependencies: [
        .package(path: "../../Sources/Examples/notes-server"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "bench-server",
            dependencies: [
                .product(name: "NoteService", package: "notes-server"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        )
    ]
)
