// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SegmentTags",
    // In a copy of this folder, use the path or URL of DTVRKit.
    dependencies: [.package(name: "DTVRKit", path: "../..")],
    targets: [
        // DTVRKit has the same modules, with all others of the library.
        .executableTarget(
            name: "SegmentTags", dependencies: [.product(name: "SegmentReading", package: "DTVRKit")])
    ]
)
