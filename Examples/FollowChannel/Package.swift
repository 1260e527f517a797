// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FollowChannel",
    // In a copy of this folder, use the path or URL of DTVRKit.
    dependencies: [.package(name: "DTVRKit", path: "../..")],
    targets: [
        .executableTarget(
            name: "FollowChannel",
            dependencies: [
                .product(name: "DTVRKit", package: "DTVRKit"),
                .product(name: "StreamMonitor", package: "DTVRKit"),
            ])
    ]
)
