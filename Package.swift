// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // For functions that return borrowed views of bytes.
    .enableExperimentalFeature("Lifetimes"),
]

/// A folder of `Sources`.
///
/// A module may import modules of the same floor and of the floors listed above it.
enum Floor: String {
    case base = "Base"
    case formats = "Formats"
    case engine = "Engine"
    case products = "Products"
    case tool = "Tool"
}

/// Returns the module at `Sources/<floor>/<name>`, whose folder `embeds` belongs to `CDTVREmbedded`.
func module(
    _ floor: Floor, _ name: String, uses dependencies: [Target.Dependency] = [], embeds folder: String? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(floor.rawValue)/\(name)",
        exclude: folder.map { [$0] } ?? [], swiftSettings: settings)
}

/// Returns the tests of a module, at `Tests/<floor>/<name>Tests`, without its data folders.
func tests(
    _ floor: Floor, of name: String, uses dependencies: [Target.Dependency] = [],
    excluding folders: [String] = [], seesPackage: Bool = true
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
        path: "Tests/\(floor.rawValue)/\(name)Tests", exclude: folders, packageAccess: seesPackage,
        swiftSettings: settings)
}

/// Returns the program at `Sources/Tool/<name>`.
func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Tool/\(name)", swiftSettings: settings)
}

/// Returns the module map of a C library from a Debian package.
func library(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Base/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// Returns the functions of a C library that programs open at its first use; see `CDTVRLibrary.h`.
///
/// It has no pkg-config file, because that would link the library.
func loadedLibrary(_ name: String) -> Target {
    .target(name: name, dependencies: ["CDTVRLibrary"], path: "Sources/Base/\(name)")
}

var products: [Product] = [
    .library(name: "DTVRKit", targets: ["DTVRKit"]),
    // To read segments, without playlists, transfers, buffer, delivery and reports.
    .library(name: "SegmentReading", targets: ["ID3v2", "LibAVDemux", "NielsenID3", "SegmentDemux"]),
    .library(name: "StreamMonitor", targets: ["StreamMonitor"]),
    .library(name: "PlayerSession", targets: ["PlayerSession"]),
    .library(name: "PlayerCertification", targets: ["PlayerCertification"]),
    // Scripts/install.sh builds libdtvr.so from it.
    .library(name: "CDTVR", type: .dynamic, targets: ["CDTVR"]),
    .executable(name: "dtvr", targets: ["dtvr"]),
]

var targets: [Target] = [
    // Base: C libraries, and the modules that every floor uses to read and write bytes.
    .target(name: "CDTVRLibrary", path: "Sources/Base/CDTVRLibrary"),
    loadedLibrary("CDTVRLibAV"), loadedLibrary("CDTVRPostgres"), loadedLibrary("CDTVRCurl"),
    loadedLibrary("CDTVRMicroHTTPD"),
    library("CDTVRSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
    library("CDTVRZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
    library("CDTVRZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
    library("CDTVRCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
    library("CDTVRClock"), library("CDTVRMalloc"), library("CDTVRSpawn"), library("CDTVRStat"),
    .target(name: "CDTVREmbedded", path: "Sources/Base/CDTVREmbedded"),
    module(.base, "ByteReading", uses: ["CDTVRCrypto", "CDTVRZlib", "CDTVRZstd"]),
    module(.base, "TextForms", uses: ["ByteReading"]),
    module(
        .base, "HostSystem",
        uses: ["ByteReading", "CDTVRClock", "CDTVRMalloc", "CDTVRSpawn", "CDTVRStat", "TextForms"]),

    // Formats: tags, boxes, playlists, and the content of Nielsen tags.
    module(.formats, "ID3v2", uses: ["ByteReading"]),
    module(.formats, "ISOBMFF", uses: ["ByteReading", "ID3v2"]),
    module(.formats, "HLSPlaylist", uses: ["ByteReading", "TextForms"]),
    module(.formats, "NielsenID3", uses: ["ByteReading", "ID3v2"]),

    // Engine: from a segment's bytes to delivered tags.
    // Players link SegmentDemux, which reads segments without libav.
    module(.engine, "SegmentDemux", uses: ["ByteReading", "ID3v2", "ISOBMFF"]),
    module(.engine, "LibAVDemux", uses: ["ByteReading", "CDTVRLibAV", "ID3v2", "SegmentDemux"]),
    module(.engine, "HTTPTransfer", uses: ["ByteReading", "CDTVRCurl", "HostSystem"]),
    module(.engine, "HTTPServing", uses: ["CDTVRMicroHTTPD", "HostSystem", "TextForms"]),
    module(
        .engine, "StreamHealth",
        uses: ["HLSPlaylist", "ID3v2", "NielsenID3", "TextForms"]),
    module(
        .engine, "TagRecord",
        uses: ["ByteReading", "HostSystem", "ID3v2", "NielsenID3", "TextForms"]),
    module(.engine, "TagStore", uses: ["ByteReading", "CDTVRSQLite", "HostSystem"]),
    module(
        .engine, "TagDelivery",
        uses: [
            "ByteReading", "HTTPTransfer", "HostSystem", "ID3v2", "NielsenID3", "TagRecord", "TagStore",
            "TextForms",
        ]),
    module(
        .engine, "HLSInput",
        uses: [
            "HLSPlaylist", "HTTPTransfer", "HostSystem", "ID3v2", "LibAVDemux", "NielsenID3",
            "SegmentDemux", "TagRecord", "TextForms",
        ]),

    // Products: reports, and the library as one import.
    module(
        .products, "Reporting",
        uses: [
            "ByteReading", "CDTVREmbedded", "HLSInput", "ID3v2", "NielsenID3", "StreamHealth", "TagRecord",
            "TextForms",
        ], embeds: "Page"),
    module(
        .products, "DTVRKit",
        uses: [
            "HLSInput", "HTTPTransfer", "HostSystem", "ID3v2", "LibAVDemux", "NielsenID3", "Reporting",
            "SegmentDemux", "StreamHealth", "TagDelivery", "TagRecord", "TagStore",
        ]),
    module(
        .products, "StreamMonitor",
        uses: [
            "ByteReading", "CDTVREmbedded", "HLSInput", "HLSPlaylist", "HTTPServing", "HTTPTransfer",
            "HostSystem", "ID3v2", "NielsenID3", "Reporting", "StreamHealth", "TagDelivery", "TagRecord",
            "TagStore", "TextForms",
        ], embeds: "Page"),

    // Products: the modules that a player calls. They do not link libav*, which would cost a player 30 MB.
    module(
        .products, "PlayerSession",
        uses: [
            "ByteReading", "HTTPTransfer", "HostSystem", "ID3v2", "NielsenID3", "SegmentDemux",
            "TagDelivery", "TagRecord", "TagStore", "TextForms",
        ]),
    // Products: the rules for the calls of a player.
    module(
        .products, "PlayerCertification",
        uses: [
            "ByteReading", "HLSPlaylist", "NielsenID3", "PlayerSession", "Reporting", "StreamHealth",
            "TextForms",
        ]),
    // The C interface: the functions of `dtvr.h`. The compiler compares its declarations with the implementation.
    .systemLibrary(name: "CDTVRHeader", path: "Sources/Products/CDTVRHeader"),
    module(.products, "CDTVR", uses: ["CDTVRHeader", "HostSystem", "PlayerSession", "TextForms"]),

    // Tool: the command line, and the services that it runs for tests and demonstrations.
    module(
        .tool, "CollectorService",
        uses: [
            "ByteReading", "CDTVREmbedded", "CDTVRPostgres", "HLSPlaylist", "HTTPServing", "HostSystem",
            "Reporting", "TextForms",
        ],
        embeds: "Migrations"),
    module(
        .tool, "StreamSynthesis",
        uses: [
            "ByteReading", "CDTVRCrypto", "CDTVRLibAV", "HTTPServing", "HostSystem", "ISOBMFF",
            "TextForms",
        ]),
    program(
        "dictionary-trainer",
        uses: ["ByteReading", "CDTVRZstd", "ID3v2", "NielsenID3", "TagRecord", "TagStore"]),
    program(
        "dtvr",
        uses: [
            "ByteReading", "CollectorService", "HLSInput", "HTTPServing", "HTTPTransfer", "HostSystem",
            "ID3v2", "NielsenID3", "PlayerCertification", "PlayerSession", "Reporting", "StreamHealth",
            "StreamMonitor", "StreamSynthesis", "TagDelivery", "TagRecord", "TagStore", "TextForms",
        ]),

    // Tests mirror Sources. TestSupport holds the helpers that several of them share.
    .target(
        name: "TestSupport", dependencies: ["ByteReading", "HostSystem"], path: "Tests/TestSupport",
        swiftSettings: settings),
    // A minimal player, to test which libraries a player links.
    .executableTarget(
        name: "session-probe", dependencies: ["PlayerSession"], path: "Tests/SessionProbe",
        swiftSettings: settings),
    .target(name: "CPowerCutVFS", dependencies: ["CDTVRSQLite"], path: "Tests/CPowerCutVFS"),
    tests(.base, of: "ByteReading"),
    tests(.base, of: "TextForms", uses: ["ByteReading"]),
    tests(.base, of: "HostSystem", uses: ["TestSupport"]),
    tests(.formats, of: "ID3v2", uses: ["ByteReading", "TestSupport"]),
    tests(.formats, of: "ISOBMFF"),
    tests(.formats, of: "HLSPlaylist", uses: ["TestSupport"]),
    tests(.formats, of: "NielsenID3", uses: ["ID3v2", "TestSupport"]),
    tests(.engine, of: "SegmentDemux", uses: ["ID3v2", "LibAVDemux", "TestSupport"]),
    tests(.engine, of: "HTTPTransfer", uses: ["ByteReading", "TestSupport"]),
    tests(.engine, of: "HTTPServing", uses: ["HTTPTransfer", "HostSystem", "TestSupport"]),
    tests(
        .engine, of: "StreamHealth",
        uses: ["HLSPlaylist", "ID3v2", "NielsenID3", "TestSupport"]),
    tests(.engine, of: "TagRecord", uses: ["ID3v2", "NielsenID3", "TextForms"]),
    tests(.engine, of: "TagStore", uses: ["CPowerCutVFS", "HostSystem", "TestSupport"]),
    tests(
        .engine, of: "TagDelivery",
        uses: [
            "ByteReading", "CollectorService", "HTTPServing", "HTTPTransfer", "HostSystem", "ID3v2",
            "NielsenID3", "TagRecord", "TagStore", "TestSupport",
        ], excluding: ["Fixtures"]),
    tests(
        .engine, of: "HLSInput",
        uses: [
            "ByteReading", "CDTVRCrypto", "HLSPlaylist", "HTTPTransfer", "HostSystem", "ID3v2",
            "LibAVDemux", "NielsenID3", "SegmentDemux", "StreamHealth", "StreamSynthesis", "TagRecord",
            "TestSupport",
        ]),
    tests(
        .products, of: "Reporting",
        uses: ["ID3v2", "NielsenID3", "StreamHealth", "TestSupport", "TextForms"],
        excluding: ["Golden"]),
    // What a user of the library can do: `public` declarations only.
    tests(
        .products, of: "DTVRKit",
        uses: ["PlayerCertification", "PlayerSession", "StreamMonitor", "TestSupport", "dtvr"],
        seesPackage: false),
    tests(
        .products, of: "StreamMonitor",
        uses: [
            "ByteReading", "HLSInput", "HLSPlaylist", "HTTPServing", "HTTPTransfer", "HostSystem",
            "ID3v2", "NielsenID3", "StreamHealth", "StreamSynthesis", "TagDelivery", "TagRecord",
            "TagStore", "TestSupport", "TextForms",
        ], excluding: ["Fixtures"]),
    tests(
        .products, of: "PlayerCertification",
        uses: [
            "NielsenID3", "PlayerSession", "Reporting", "StreamHealth", "TagRecord", "TagStore",
            "TestSupport", "TextForms",
        ], excluding: ["Inputs", "Logs"]),
    tests(
        .products, of: "CDTVR", uses: ["CDTVRHeader", "PlayerSession", "TagStore", "TestSupport"],
        excluding: [
            "Fuzz", "cost.c", "forked.c", "unloaded.c", "header.cpp", "leaks.h", "limits.c", "session.c",
            "session.py",
        ]),
    tests(
        .products, of: "PlayerSession",
        uses: [
            "ByteReading", "CollectorService", "HTTPTransfer", "HostSystem", "ID3v2", "NielsenID3",
            "TagDelivery", "TagRecord", "TagStore", "TestSupport", "TextForms", "session-probe",
        ], excluding: ["Fixtures", "Guides", "Traces"]),
    tests(
        .tool, of: "StreamSynthesis",
        uses: ["ByteReading", "CDTVRLibAV", "HTTPServing", "HTTPTransfer", "TestSupport"]),
    tests(
        .tool, of: "CollectorService",
        uses: [
            "ByteReading", "HTTPServing", "HTTPTransfer", "HostSystem", "Reporting", "TestSupport",
            "TextForms",
        ]),
    tests(
        .tool, of: "dtvr",
        uses: [
            "ByteReading", "HTTPServing", "HTTPTransfer", "HostSystem", "NielsenID3", "PlayerCertification",
            "PlayerSession", "StreamHealth", "StreamMonitor", "StreamSynthesis", "TagStore",
            "TestSupport", "TextForms",
        ]),
]

// DTVR_TESTS=HLSInputTests,TagStoreTests builds only these test targets, to try a change quickly.
if let names = Context.environment["DTVR_TESTS"] {
    let wanted = Set(names.split(separator: ",").map(String.init))
    targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}

// Fuzz targets and benchmarks use `package` declarations, so they belong to this manifest. Only Scripts/fuzz.sh and
// Scripts/benchmark.sh enable them, to keep them out of users' builds.

if Context.environment["DTVR_FUZZ"] != nil {
    /// Returns the fuzz target at `Tests/Fuzz/Targets/Fuzz<name>`.
    ///
    /// It reads its inputs from `Tests/Fuzz/Corpus/<name>` and adds new ones there.
    func fuzz(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
        .executableTarget(
            name: "Fuzz\(name)", dependencies: dependencies, path: "Tests/Fuzz/Targets/Fuzz\(name)",
            swiftSettings: settings)
    }
    targets += [
        .target(name: "CLibFuzzer", path: "Tests/Fuzz/Targets/CLibFuzzer"),
        // Sets numbers of the inputs to extremes, in the targets that import it.
        .target(
            name: "ExtremeMutation", dependencies: ["CLibFuzzer"], path: "Tests/Fuzz/Targets/ExtremeMutation",
            swiftSettings: settings),
        // The shared code of the targets that feed a container in chunks.
        .target(
            name: "ChunkedDemuxing", dependencies: ["ID3v2", "LibAVDemux", "SegmentDemux"],
            path: "Tests/Fuzz/Targets/ChunkedDemuxing", swiftSettings: settings),
        fuzz("AlertStore", uses: ["ExtremeMutation", "HostSystem", "StreamMonitor"]),
        fuzz("CallReplay", uses: ["ExtremeMutation", "PlayerSession"]),
        fuzz("ClockEpochs", uses: ["ExtremeMutation", "HostSystem", "TagStore"]),
        fuzz("CollectorAnswer", uses: ["ExtremeMutation", "HTTPTransfer", "TagDelivery", "TagStore"]),
        fuzz("Compression", uses: ["ByteReading"]),
        fuzz("DatabasePage", uses: ["ExtremeMutation", "TagStore"]),
        fuzz("DeliveryState", uses: ["ExtremeMutation", "HostSystem", "TagDelivery"]),
        fuzz("FragmentedMP4", uses: ["ChunkedDemuxing", "ExtremeMutation"]),
        fuzz("HAR", uses: ["ExtremeMutation", "PlayerCertification", "PlayerSession"]),
        fuzz("HighWaterMark", uses: ["TagStore"]),
        fuzz("HLSPlaylist", uses: ["ExtremeMutation", "HLSPlaylist"]),
        fuzz("ID3v2", uses: ["ID3v2"]),
        fuzz("ISOBMFF", uses: ["ExtremeMutation", "ISOBMFF"]),
        fuzz("JSONReader", uses: ["ExtremeMutation", "TextForms"]),
        fuzz("NielsenID3", uses: ["ID3v2", "NielsenID3"]),
        fuzz("OwnerText", uses: ["NielsenID3"]),
        fuzz("PackedAudio", uses: ["ChunkedDemuxing", "ExtremeMutation"]),
        fuzz("SegmentFeed", uses: ["ExtremeMutation", "PlayerSession"]),
        fuzz("StoredBody", uses: ["ExtremeMutation", "TagRecord"]),
        fuzz("StoredRow", uses: ["TagStore"]),
        fuzz("StoreStatus", uses: ["ExtremeMutation", "TagStore"]),
        fuzz("TransportStream", uses: ["ID3v2", "LibAVDemux", "SegmentDemux"]),
    ]
}

if Context.environment["DTVR_BENCHMARKS"] != nil {
    products.append(.executable(name: "dtvr-benchmarks", targets: ["DTVRBenchmarks"]))
    targets += [
        // Counts calls of malloc and related functions in this process.
        .target(name: "CMallocCount", path: "Benchmarks/CMallocCount"),
        // Opens libid3tag at run time, so that the benchmarks build without it.
        .target(name: "CID3Tag", path: "Benchmarks/CID3Tag", linkerSettings: [.linkedLibrary("dl")]),
        // TagLib, in C++. Optional: used if it is installed when the benchmarks are built.
        .systemLibrary(
            name: "CTagLib", path: "Benchmarks/CTagLib", pkgConfig: "taglib",
            providers: [.apt(["libtag1-dev"])]),
        .target(name: "CTagLibPeer", dependencies: ["CTagLib"], path: "Benchmarks/CTagLibPeer"),
        // Runs a command, and reads its time and memory from the kernel.
        .target(name: "CCommandRun", path: "Benchmarks/CCommandRun"),
        // The peers that the store is compared with, in C.
        .target(
            name: "CStorePeers", path: "Benchmarks/CStorePeers", linkerSettings: [.linkedLibrary("sqlite3")]),
        // The collector for upload benchmarks: it accepts batches over TLS and discards them.
        .executableTarget(
            name: "batch-sink", path: "Benchmarks/batch-sink",
            linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("zstd")]),
        .executableTarget(
            name: "DTVRBenchmarks",
            dependencies: [
                "ByteReading", "CCommandRun", "CID3Tag", "CMallocCount", "CStorePeers", "CTagLibPeer",
                "HostSystem", "ID3v2", "NielsenID3", "PlayerSession", "TagRecord", "TagStore",
            ],
            path: "Benchmarks/DTVRBenchmarks", swiftSettings: settings),
    ]
}

let package = Package(name: "DTVRKit", products: products, dependencies: [], targets: targets)
