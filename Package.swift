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
]

/// The modules that hand out borrowed views of bytes, and so declare lifetimes.
let borrowing: Set<String> = ["TimedMedia", "ID3v2", "ISOBMFF", "SegmentDemux", "NielsenID3"]

/// A module of the library, at `Sources/<name>`; files of a folder that it `embeds` are bytes in its code.
func module(
    _ name: String, uses dependencies: [Target.Dependency] = [], embeds folder: String? = nil
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        resources: folder.map { [.embedInCode($0)] },
        swiftSettings: settings
            + (borrowing.contains(name) ? [.enableExperimentalFeature("Lifetimes")] : [])
    )
}

/// The tests of a module, at `Tests/<name>Tests`, which mirrors `Sources/<name>`; folders of it that are no code
/// are excluded.
func tests(
    of name: String, uses dependencies: [Target.Dependency] = [], excluding folders: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        exclude: folders,
        swiftSettings: settings
            + (borrowing.contains(name) ? [.enableExperimentalFeature("Lifetimes")] : [])
    )
}

/// The module map of a C library that Debian packages.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "DTVRKit",
    products: [
        .library(
            name: "DTVRKit",
            targets: [
                "DTVRKit", "HLSPlaylist", "HTTPTransfer", "ID3v2", "ISOBMFF", "NielsenID3", "Reporting",
                "SegmentDemux", "StreamHealth", "StreamMonitor", "TagDelivery", "TagRecord", "TagStore",
                "TimedMedia",
            ]
        ),
        .executable(name: "dtvr", targets: ["dtvr"]),
    ],
    dependencies: [],
    targets: [
        // Floor 0: C libraries and nouns.
        library("CLibAV", pkgConfig: "libavformat", package: "libavformat-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        library("CMicroHTTPD", pkgConfig: "libmicrohttpd", package: "libmicrohttpd-dev"),
        library("CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
        library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("CCrypto", pkgConfig: "libcrypto", package: "libssl-dev"),
        .systemLibrary(name: "CClock"),
        .systemLibrary(name: "CPrefetch"),
        .target(name: "CBusGuard"),
        module("TimedMedia"),
        // Floor 1: tags, boxes, playlists.
        module("ID3v2", uses: ["CZlib", "TimedMedia"]),
        module("ISOBMFF", uses: ["TimedMedia"]),
        module("HLSPlaylist", uses: ["TimedMedia"]),
        // Floor 2: what a tag says, and the network.
        module("NielsenID3", uses: ["ID3v2", "TimedMedia"]),
        module("SegmentDemux", uses: ["CLibAV", "CPrefetch", "ID3v2", "ISOBMFF", "TimedMedia"]),
        module("HTTPTransfer", uses: ["CCurl"]),
        // Floor 3: what is judged, tags as lines, and the buffer on disk.
        module("StreamHealth", uses: ["ID3v2", "NielsenID3", "TimedMedia"]),
        module("TagRecord", uses: ["CCrypto", "ID3v2", "NielsenID3", "TimedMedia"]),
        module("TagStore", uses: ["CClock", "CSQLite", "CZlib", "CZstd", "TimedMedia"]),
        // Floor 4: the way out, and what the tool runs for tests and demonstrations.
        module("TagDelivery", uses: ["CZlib", "CZstd", "HTTPTransfer", "TagRecord", "TagStore"]),
        module("CollectorService", uses: ["CMicroHTTPD", "CZlib", "CZstd", "TagRecord"]),
        module("StreamSynthesis", uses: ["CLibAV"]),
        .executableTarget(
            name: "dictionary-trainer",
            dependencies: ["CZstd", "NielsenID3", "TagRecord", "TagStore", "TimedMedia"],
            swiftSettings: settings),
        // Floor 5: from an input to its tags, and from a verdict to a report.
        module(
            "Reporting", uses: ["NielsenID3", "StreamHealth", "TagRecord", "TimedMedia"], embeds: "Page"),
        module(
            "StreamMonitor",
            uses: [
                "CBusGuard", "HLSPlaylist", "HTTPTransfer", "ID3v2", "NielsenID3", "SegmentDemux",
                "StreamHealth", "TagRecord", "TagStore", "TimedMedia",
            ]),
        // Floor 6: the doors.
        module(
            "DTVRKit",
            uses: [
                "HLSPlaylist", "HTTPTransfer", "ID3v2", "NielsenID3", "SegmentDemux", "StreamHealth",
                "StreamMonitor", "TagDelivery", "TagRecord", "TagStore", "TimedMedia",
            ]),
        .executableTarget(
            name: "dtvr",
            dependencies: [
                "CollectorService", "HTTPTransfer", "NielsenID3", "Reporting", "StreamHealth",
                "StreamMonitor", "StreamSynthesis", "TagDelivery", "TagRecord", "TagStore", "TimedMedia",
            ],
            swiftSettings: settings),

        tests(of: "TimedMedia"),
        tests(of: "ID3v2", uses: ["CZlib", "TimedMedia"]),
        tests(of: "ISOBMFF"),
        tests(of: "HLSPlaylist"),
        tests(of: "NielsenID3", uses: ["ID3v2"]),
        tests(of: "SegmentDemux", uses: ["TimedMedia"]),
        .target(name: "Loopback", path: "Tests/Loopback", swiftSettings: settings),
        tests(of: "HTTPTransfer", uses: ["Loopback"]),
        tests(of: "StreamHealth", uses: ["NielsenID3", "TimedMedia"]),
        tests(of: "TagRecord", uses: ["NielsenID3", "TimedMedia"]),
        .target(name: "CPowerCutVFS", dependencies: ["CSQLite"], path: "Tests/CPowerCutVFS"),
        tests(of: "TagStore", uses: ["CPowerCutVFS"]),
        // Programs that tests run, waited for without holding a thread of the pool.
        .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: settings),
        tests(of: "StreamSynthesis", uses: ["CLibAV", "ChildProcess"]),
        tests(of: "TagDelivery", uses: ["ChildProcess", "CollectorService", "HTTPTransfer", "TagStore"]),
        tests(of: "CollectorService", uses: ["CZlib", "CZstd", "HTTPTransfer"]),
        tests(
            of: "StreamMonitor",
            uses: [
                "CBusGuard", "CCrypto", "CZlib", "HLSPlaylist", "HTTPTransfer", "Loopback", "NielsenID3",
                "SegmentDemux",
                "StreamHealth", "StreamSynthesis", "TagRecord", "TagStore", "TimedMedia",
            ]),
        tests(
            of: "Reporting",
            uses: ["ChildProcess", "NielsenID3", "StreamHealth", "TagRecord", "TimedMedia"],
            excluding: ["Golden"]),
        tests(of: "DTVRKit"),
        tests(of: "dtvr", uses: ["ChildProcess", "HTTPTransfer", "StreamHealth", "StreamSynthesis"]),
    ]
)
