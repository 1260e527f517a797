// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnPipeline",
    // In a copy of this folder, use the path or URL of DTVRKit.
    dependencies: [.package(name: "DTVRKit", path: "../..")],
    targets: [
        .executableTarget(
            name: "OwnPipeline",
            dependencies: [
                .product(name: "DTVRKit", package: "DTVRKit"),
                .product(name: "PlayerCertification", package: "DTVRKit"),
                .product(name: "PlayerSession", package: "DTVRKit"),
            ])
    ]
)
