// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
    .enableExperimentalFeature("Lifetimes"),
]
let library = Target.Dependency.product(name: "DTVRKit", package: "DTVRKit")

/// A fuzz target: `Sources/Fuzz<name>`, fed from and growing `Corpus/<name>`.
func fuzz(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: "Fuzz\(name)", dependencies: [library] + dependencies, swiftSettings: settings)
}

/// Where the library is.
///
/// SwiftPM tells packages by the names of their folders, so that a clone called `fuzz` must be reached by another name:
/// `Scripts/fuzz.sh` gives it one.
let root = Context.environment["DTVRKIT_PATH"] ?? "../.."

let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "DTVRKit", path: root)],
    targets: [
        // What the containers that are fed in chunks have in common.
        .target(name: "ChunkedDemuxing", dependencies: [library], swiftSettings: settings),
        fuzz("CollectorAnswer"),
        fuzz("FragmentedMP4", uses: ["ChunkedDemuxing"]),
        fuzz("HLSPlaylist"),
        fuzz("ID3v2"),
        fuzz("ISOBMFF"),
        fuzz("NielsenID3"),
        fuzz("OwnerText"),
        fuzz("PackedAudio", uses: ["ChunkedDemuxing"]),
        fuzz("TransportStream"),
    ]
)
