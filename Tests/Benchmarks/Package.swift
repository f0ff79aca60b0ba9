// swift-tools-version: 6.2
import PackageDescription

/// Warnings that every C file passes.
let c: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"),
    .enableWarning("conversion"), .enableWarning("strict-prototypes"),
]

/// A package of its own, so that whoever uses Strata resolves none of what it is compared with.
let package = Package(
    name: "bench",
    dependencies: [
        .package(name: "Strata", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(name: "AllocationCount"),
        .target(name: "Workload", dependencies: ["AllocationCount"], cSettings: c),
        .target(
            name: "StrataPeer",
            dependencies: ["Workload", .product(name: "CStrata", package: "Strata")],
            cSettings: c
        ),
        .target(name: "LMDBPeer", dependencies: ["Workload"], cSettings: c, linkerSettings: [.linkedLibrary("lmdb")]),
        .systemLibrary(
            name: "SystemSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]
        ),
        .target(name: "SQLitePeer", dependencies: ["Workload", "SystemSQLite"], cSettings: c),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Workload", "StrataPeer", "LMDBPeer", "SQLitePeer",
                .product(name: "RealmSwift", package: "Strata"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .executableTarget(name: "bench-delivery", dependencies: [.product(name: "RealmSwift", package: "Strata")]),
    ],
    cLanguageStandard: .c11
)
