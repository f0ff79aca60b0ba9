// swift-tools-version: 6.2
import PackageDescription

/// A program that the thread sanitizer watches; a package of its own, so that nobody else builds Strata for it.
/// `make tsan` runs it.
let package = Package(
    name: "task-races",
    dependencies: [.package(name: "Strata", path: "../..")],
    targets: [
        .target(name: "CMutexOrder", linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(name: "task-races", dependencies: [.product(name: "Strata", package: "Strata"), "CMutexOrder"]),
    ]
)
