// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is held to.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Borrowed views of bytes declare lifetimes.
    .enableExperimentalFeature("Lifetimes"),
]

/// A folder of `Sources`. A module imports from floors above its own, or from its own.
enum Floor: String {
    case base = "Base"
    case formats = "Formats"
    case engine = "Engine"
    case products = "Products"
    case tool = "Tool"
}

/// A module at `Sources/<floor>/<name>`; files of a folder that it `embeds` are bytes in its code.
func module(
    _ floor: Floor, _ name: String, uses dependencies: [Target.Dependency] = [], embeds folder: String? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(floor.rawValue)/\(name)",
        resources: folder.map { [.embedInCode($0)] }, swiftSettings: settings)
}

/// The tests of a module, at `Tests/<floor>/<name>Tests`; folders of it that are no code are excluded.
func tests(
    _ floor: Floor, of name: String, uses dependencies: [Target.Dependency] = [],
    excluding folders: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(floor.rawValue)/\(name)Tests", exclude: folders, swiftSettings: settings)
}

/// A program at `Sources/Tool/<name>`.
func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Tool/\(name)", swiftSettings: settings)
}

/// The module map of a C library that Debian packages.
func library(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Base/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

var products: [Product] = [
    .library(name: "DTVRKit", targets: ["DTVRKit"]),
    .executable(name: "dtvr", targets: ["dtvr"]),
]

var targets: [Target] = [
    // Base: C libraries, and what every floor reads and writes bytes with.
    library("CDTVRLibAV", pkgConfig: "libavformat", package: "libavformat-dev"),
    library("CDTVRSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
    library("CDTVRCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
    library("CDTVRMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
    library("CDTVRZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
    library("CDTVRZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
    library("CDTVRCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
    library("CDTVRClock"),

    // Formats: tags, boxes, playlists, and what a Nielsen tag says.
    module(.formats, "TimedMedia"),
    module(.formats, "ID3v2", uses: ["CDTVRZlib", "TimedMedia"]),
    module(.formats, "ISOBMFF", uses: ["TimedMedia"]),
    module(.formats, "HLSPlaylist", uses: ["TimedMedia"]),
    module(.formats, "NielsenID3", uses: ["ID3v2", "TimedMedia"]),

    // Engine: from a segment's bytes to delivered tags.
    module(.engine, "SegmentDemux", uses: ["CDTVRLibAV", "ID3v2", "ISOBMFF", "TimedMedia"]),
    module(.engine, "HTTPTransfer", uses: ["CDTVRCurl"]),
    module(.engine, "StreamHealth", uses: ["ID3v2", "NielsenID3", "TimedMedia"]),
    module(.engine, "TagRecord", uses: ["CDTVRCrypto", "ID3v2", "NielsenID3", "TimedMedia"]),
    module(.engine, "TagStore", uses: ["CDTVRClock", "CDTVRSQLite", "CDTVRZlib", "CDTVRZstd", "TimedMedia"]),
    module(
        .engine, "TagDelivery",
        uses: [
            "CDTVRZlib", "CDTVRZstd", "HTTPTransfer", "NielsenID3", "TagRecord", "TagStore",
            "TimedMedia",
        ]),
    module(
        .engine, "HLSInput",
        uses: [
            "HLSPlaylist", "HTTPTransfer", "ID3v2", "NielsenID3", "SegmentDemux", "TagRecord", "TimedMedia",
        ]),

    // Products: reports, and the library as one import.
    module(
        .products, "Reporting", uses: ["NielsenID3", "StreamHealth", "TagRecord", "TimedMedia"],
        embeds: "Page"),
    module(
        .products, "DTVRKit",
        uses: [
            "HLSInput", "HLSPlaylist", "HTTPTransfer", "ID3v2", "NielsenID3", "Reporting", "SegmentDemux",
            "StreamHealth", "TagDelivery", "TagRecord", "TagStore", "TimedMedia",
        ]),

    // Tool: the command line, and what it runs for tests and demonstrations.
    module(.tool, "CollectorService", uses: ["CDTVRMicroHTTPD", "CDTVRZlib", "CDTVRZstd", "TagRecord"]),
    module(.tool, "StreamSynthesis", uses: ["CDTVRLibAV"]),
    program(
        "dictionary-trainer", uses: ["CDTVRZstd", "NielsenID3", "TagRecord", "TagStore", "TimedMedia"]),
    program(
        "dtvr",
        uses: [
            "CollectorService", "HLSInput", "HTTPTransfer", "NielsenID3", "Reporting", "StreamHealth",
            "StreamSynthesis", "TagDelivery", "TagRecord", "TagStore", "TimedMedia",
        ]),

    // Tests mirror Sources. What several of them need stands in one place.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CPowerCutVFS", dependencies: ["CDTVRSQLite"], path: "Tests/CPowerCutVFS"),
    tests(.formats, of: "TimedMedia"),
    tests(.formats, of: "ID3v2", uses: ["CDTVRZlib", "TimedMedia"]),
    tests(.formats, of: "ISOBMFF"),
    tests(.formats, of: "HLSPlaylist"),
    tests(.formats, of: "NielsenID3", uses: ["ID3v2"]),
    tests(.engine, of: "SegmentDemux", uses: ["TimedMedia"]),
    tests(.engine, of: "HTTPTransfer"),
    tests(.engine, of: "StreamHealth", uses: ["NielsenID3", "TimedMedia"]),
    tests(.engine, of: "TagRecord", uses: ["NielsenID3", "TimedMedia"]),
    tests(.engine, of: "TagStore", uses: ["CPowerCutVFS"]),
    tests(
        .engine, of: "TagDelivery",
        uses: ["CollectorService", "HTTPTransfer", "NielsenID3", "TagRecord", "TagStore", "TimedMedia"]),
    tests(
        .engine, of: "HLSInput",
        uses: [
            "CDTVRCrypto", "CDTVRZlib", "HLSPlaylist", "HTTPTransfer", "NielsenID3",
            "SegmentDemux",
            "StreamHealth", "StreamSynthesis", "TagRecord", "TagStore", "TimedMedia",
        ]),
    tests(
        .products, of: "Reporting", uses: ["NielsenID3", "StreamHealth", "TagRecord", "TimedMedia"],
        excluding: ["Golden"]),
    tests(.products, of: "DTVRKit"),
    tests(.tool, of: "StreamSynthesis", uses: ["CDTVRLibAV"]),
    tests(.tool, of: "CollectorService", uses: ["CDTVRZlib", "CDTVRZstd", "HTTPTransfer"]),
    tests(.tool, of: "dtvr", uses: ["HTTPTransfer", "StreamHealth", "StreamSynthesis"]),
]

// Fuzz targets and benchmarks see what is `package`, so they stand in this manifest; only Scripts/fuzz.sh and
// Scripts/benchmark.sh ask for them, so that a user's build never sees them.

if Context.environment["DTVR_FUZZ"] != nil {
    /// A fuzz target at `Tests/Fuzz/Targets/Fuzz<name>`, fed from and growing `Tests/Fuzz/Corpus/<name>`.
    func fuzz(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: "Fuzz\(name)", dependencies: dependencies, path: "Tests/Fuzz/Targets/Fuzz\(name)",
            swiftSettings: settings)
    }
    targets += [
        // What the containers that are fed in chunks have in common.
        .target(
            name: "ChunkedDemuxing", dependencies: ["SegmentDemux", "TimedMedia"],
            path: "Tests/Fuzz/Targets/ChunkedDemuxing", swiftSettings: settings),
        fuzz("CollectorAnswer", uses: ["TagDelivery"]),
        fuzz("FragmentedMP4", uses: ["ChunkedDemuxing", "SegmentDemux"]),
        fuzz("HLSPlaylist", uses: ["HLSPlaylist"]),
        fuzz("ID3v2", uses: ["ID3v2"]),
        fuzz("ISOBMFF", uses: ["ISOBMFF"]),
        fuzz("NielsenID3", uses: ["ID3v2", "NielsenID3"]),
        fuzz("OwnerText", uses: ["NielsenID3"]),
        fuzz("PackedAudio", uses: ["ChunkedDemuxing", "SegmentDemux"]),
        fuzz("TransportStream", uses: ["SegmentDemux", "TimedMedia"]),
    ]
}

if Context.environment["DTVR_BENCHMARKS"] != nil {
    products.append(.executable(name: "dtvr-benchmarks", targets: ["DTVRBenchmarks"]))
    targets += [
        // Counts the calls of malloc and its kin in this process.
        .target(name: "CMallocCount", path: "Benchmarks/CMallocCount"),
        // libid3tag, opened at run time, so that the benchmarks build without it.
        .target(name: "CID3Tag", path: "Benchmarks/CID3Tag", linkerSettings: [.linkedLibrary("dl")]),
        // TagLib, in C++, where it is installed when the benchmarks are built.
        .systemLibrary(
            name: "CTagLib", path: "Benchmarks/CTagLib", pkgConfig: "taglib",
            providers: [.apt(["libtag1-dev"])]),
        .target(name: "CTagLibPeer", dependencies: ["CTagLib"], path: "Benchmarks/CTagLibPeer"),
        // Runs a command, and asks the kernel for its time and its memory.
        .target(name: "CCommandRun", path: "Benchmarks/CCommandRun"),
        // What the store is measured beside, in C.
        .target(
            name: "CStorePeers", path: "Benchmarks/CStorePeers", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The collector that uploads are measured against: takes batches over TLS, and keeps nothing.
        .executableTarget(
            name: "batch-sink", path: "Benchmarks/batch-sink",
            linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("zstd")]),
        .executableTarget(
            name: "DTVRBenchmarks",
            dependencies: [
                "CCommandRun", "CID3Tag", "CMallocCount", "CStorePeers", "CTagLibPeer", "ID3v2", "NielsenID3",
                "TagDelivery", "TagRecord", "TagStore", "TimedMedia",
            ],
            path: "Benchmarks/DTVRBenchmarks", swiftSettings: settings),
    ]
}

let package = Package(name: "DTVRKit", products: products, dependencies: [], targets: targets)
