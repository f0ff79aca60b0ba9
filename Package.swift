// swift-tools-version: 6.2
import PackageDescription

/// Warnings that every C file passes; `make` turns them into errors.
let cWarnings: [CSetting] = [
    .enableWarning("all"), .enableWarning("extra"), .enableWarning("shadow"),
    .enableWarning("conversion"), .enableWarning("strict-prototypes"),
]

/// What the next language mode asks for, asked for now. Imports are internal and a member is visible only where its
/// module is imported, so that what the public interface of Strata shows of other modules stands in its files; `any` is
/// written, since a call through an existential costs what a generic one does not.
let swift: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Tests are compiled as they are written, also where the library that they test is optimized: most of the time of their
/// build went into optimizing what runs once.
let asWritten: [SwiftSetting] = [.unsafeFlags(["-Onone"])]

/// What programs that import RealmSwift stand on; see the products.
let inlined: [Target.Dependency] = ["RealmSwift", "Strata", "CStrata"]

let package = Package(
    name: "Strata",
    // Each product names all that it stands on: SwiftPM compiles a program again when a target of a product that it
    // uses has changed, and does not look at what that target imports. A program keeps code of Strata and of the
    // headers that was inlined into it, so it must not be left as it is when they change; the module RealmSwift hardly
    // ever does.
    products: [
        .library(name: "Strata", targets: ["Strata", "CStrata"]),
        .library(name: "RealmSwift", targets: ["RealmSwift", "Strata", "CStrata"]),
        .library(name: "CStrata", targets: ["CStrata"]),
    ],
    targets: [
        .systemLibrary(
            name: "CLMDB",
            path: "CSources/CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
        ),
        .target(
            name: "CStrata",
            dependencies: ["CLMDB"],
            path: ".",
            sources: ["CSources/strata"],
            publicHeadersPath: "include",
            cSettings: [.headerSearchPath("CSources/strata")] + cWarnings,
            linkerSettings: [.linkedLibrary("lmdb"), .linkedLibrary("bidgcc011")]
        ),
        .systemLibrary(name: "CConcurrency", path: "CSources/CConcurrency"),
        .target(name: "Strata", dependencies: ["CStrata", "CConcurrency"], swiftSettings: swift),
        .target(name: "RealmSwift", dependencies: ["Strata"], swiftSettings: swift),
        .target(name: "DebianRecords", path: "Sources/Examples/DebianRecords", swiftSettings: swift),
        .executableTarget(
            name: "packages",
            dependencies: inlined + ["DebianRecords"],
            path: "Sources/Examples/packages",
            swiftSettings: swift
        ),
        .executableTarget(
            name: "shopping", dependencies: inlined, path: "Sources/Examples/shopping", swiftSettings: swift),

        .target(
            name: "CStrataTests",
            dependencies: ["CStrata"],
            path: "Tests/CStrataTests",
            cSettings: [.headerSearchPath("."), .headerSearchPath("../../CSources/strata")] + cWarnings
        ),
        .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
        .testTarget(
            name: "StrataTests",
            dependencies: inlined + ["CStrataTests", "CAllocationCount"],
            swiftSettings: swift + asWritten
        ),
        // What `strata convert-models` writes: compiled as an application would, without the settings above.
        .testTarget(
            name: "ConvertedModelsTests",
            dependencies: inlined,
            path: "Tests/ConvertModels",
            exclude: ["before", "undecided", "check-convert", "random_models.py"]
        ),
        .testTarget(name: "DebianRecordsTests", dependencies: ["DebianRecords"], swiftSettings: swift),
    ],
    cLanguageStandard: .c11
)
