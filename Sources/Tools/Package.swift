// swift-tools-version: 6.2
import PackageDescription

/// The program `strata`. A package of its own, so that whoever uses Strata does not resolve what only the program needs.
/// `make tool` builds it.
let package = Package(
    name: "strata-tools",
    products: [.executable(name: "strata", targets: ["strata"])],
    dependencies: [
        .package(name: "Strata", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "CAssets",
            exclude: ["studio.html", "studio.css", "studio.js", "page.js", "fields.js", "changes.js", "icon.svg"],
            cSettings: [.unsafeFlags(["-std=c23"])]
        ),
        .executableTarget(
            name: "strata",
            dependencies: [
                "CAssets",
                .product(name: "CStrata", package: "Strata"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]
        )
    ]
)
