// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    products: [.executable(name: "dtvr-benchmarks", targets: ["DTVRBenchmarks"])],
    dependencies: [.package(name: "DTVRKit", path: "..")],
    targets: [
        // Counts the calls of malloc and its kin in this process.
        .target(name: "CMallocCount"),
        // libid3tag, opened at run time, so that the package builds without it.
        .target(name: "CID3Tag", linkerSettings: [.linkedLibrary("dl")]),
        // TagLib, in C++, where it is installed when the package is built.
        .systemLibrary(name: "CTagLib", pkgConfig: "taglib", providers: [.apt(["libtag1-dev"])]),
        .target(name: "CTagLibPeer", dependencies: ["CTagLib"]),
        // Runs a command, and asks the kernel for its time and its memory.
        .target(name: "CCommandRun"),
        // What the store is measured beside, in C.
        .target(name: "CStorePeers", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The collector that uploads are measured against: takes batches over TLS, and keeps nothing.
        .executableTarget(
            name: "batch-sink", linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("zstd")]),
        .executableTarget(
            name: "DTVRBenchmarks",
            dependencies: [
                "CCommandRun", "CMallocCount", "CID3Tag", "CStorePeers", "CTagLibPeer",
                .product(name: "DTVRKit", package: "DTVRKit"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"), .enableExperimentalFeature("Lifetimes"),
            ]),
    ]
)
