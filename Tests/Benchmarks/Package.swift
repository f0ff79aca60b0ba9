// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that whoever uses Strata does not resolve it.
let package = Package(
    name: "bench",
    dependencies: [.package(name: "Strata", path: "../..")],
    targets: [
        .executableTarget(name: "bench", dependencies: [.product(name: "RealmSwift", package: "Strata")])
    ]
)
