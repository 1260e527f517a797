// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "BufferAndDeliver",
    // In a copy of this folder, use the path or URL of DTVRKit.
    dependencies: [.package(name: "DTVRKit", path: "../..")],
    targets: [
        .executableTarget(name: "BufferAndDeliver", dependencies: [.product(name: "DTVRKit", package: "DTVRKit")])
    ]
)
