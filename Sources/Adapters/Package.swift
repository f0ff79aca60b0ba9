// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that whoever uses Strata resolves neither swift-log nor swift-metrics. `make adapters` builds
/// and tests it.
let package = Package(
    name: "strata-adapters",
    products: [
        .library(name: "StrataLogging", targets: ["StrataLogging"]),
        .library(name: "StrataMetrics", targets: ["StrataMetrics"]),
    ],
    dependencies: [
        .package(name: "Strata", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
    ],
    targets: [
        .target(
            name: "StrataLogging",
            dependencies: [
                .product(name: "Strata", package: "Strata"), .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .target(
            name: "StrataMetrics",
            dependencies: [
                .product(name: "Strata", package: "Strata"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]
        ),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "StrataLogging", "StrataMetrics", .product(name: "Strata", package: "Strata"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
    ]
)
