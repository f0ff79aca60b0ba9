// swift-tools-version: 6.2
import PackageDescription

/// The program behind `strata convert-models`. A package of its own, so that neither programs that use Strata nor its
/// other tools build a parser of Swift. `make convert-models` builds it.
let package = Package(
    name: "strata-convert-models",
    products: [.executable(name: "strata-convert-models", targets: ["strata-convert-models"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", exact: "603.0.1"),
    ],
    targets: [
        .target(
            name: "ModelConversion",
            dependencies: [
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]
        ),
        .executableTarget(
            name: "strata-convert-models",
            dependencies: ["ModelConversion", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
    ]
)
