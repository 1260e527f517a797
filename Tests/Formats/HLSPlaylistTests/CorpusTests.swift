import Foundation
import HLSPlaylist
import TestSupport
import Testing

/// Compares the playlists of the corpus with the results of PyPI m3u8 6.0.0.
@Suite struct CorpusTests {
    static let directory = corpusDirectory()

    /// The files that the peer reads differently, and why the peer is wrong.
    private static let disagreements: [String: String] = [
        "missingExtinf":
            "a URI without EXTINF: the peer loses the segment; it is kept with the target duration",
        "missingSegmentDuration": "as above, three of four segments",
        "liveMissingSegmentDuration": "as above, three of four segments",
        "negativeMediaSequence": "-11 is no decimal-integer (4.2): 0, and a problem",
        "manifestExtTTargetdurationNegative": "-10 is no decimal-integer (4.2): none, and a problem",
        "llhls": "the peer makes a segment without URI of the parts that no segment follows",
        "llhlsDelta": "as above; and it counts from EXT-X-MEDIA-SEQUENCE without the skipped segments",
        "llhls-delta-byte-range": "it counts without the skipped segments",
        "multipleTargetDurations": "URIs without EXTINF, as in missingExtinf",
    ]

    /// The files without results of the peer.
    private static let withoutTruth: Set = ["empty", "start", "manifestNoExtM3u"]

    @Test(.enabled(if: directory != nil, "the reference files are absent"))
    func corpusPlaylists_agreeWithPythonM3U8() throws {
        let directory = try #require(Self.directory)
        var compared = 0
        for path in try corpusFiles(in: directory, suffix: ".m3u8") {
            let name = String(path.split(separator: "/").last?.dropLast(5) ?? "")
            guard FileManager.default.fileExists(atPath: path + ".truth.json") else {
                #expect(Self.withoutTruth.contains(name))
                continue
            }
            let truth = try PlaylistTruth(of: path)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let playlist = try Playlist(parsing: bytes.span)
            compared += 1
            // If the peer failed, there is nothing to compare, but the playlist must still be read.
            if truth.error != nil {
                #expect(!playlist.problems.isEmpty || name == "test_date", "\(name)")
                continue
            }
            let found = PlaylistTruth(playlist)
            if Self.disagreements[name] == nil {
                #expect(found.lines == truth.lines, "\(name)")
            } else {
                #expect(found.lines != truth.lines, "\(name): no disagreement any more")
                #expect(name.hasPrefix("llhls") || !playlist.problems.isEmpty, "\(name)")
            }
        }
        #expect(compared > 85)
    }

    @Test(.enabled(if: directory != nil, "the reference files are absent"))
    func corpusPlaylists_truncatedAnywhere_areReadOrRefused() throws {
        let directory = try #require(Self.directory)
        var fileCount = 0
        for path in try corpusFiles(in: directory, suffix: ".m3u8") {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            guard bytes.count < 2_000, let whole = try? Playlist(parsing: bytes.span) else { continue }
            fileCount += 1
            for count in 0..<bytes.count {
                guard let part = try? Playlist(parsing: bytes.span.extracting(0..<count)) else {
                    // Only a text that ends before its first tag is refused.
                    let text = String(decoding: bytes[..<count], as: UTF8.self)
                    #expect(!text.contains("#EXT"), "\(path) at \(count)")
                    continue
                }
                guard case .media(let all) = whole, case .media(let some) = part else { continue }
                #expect(some.segments.count <= all.segments.count)
                for (one, other) in zip(some.segments.dropLast(), all.segments) {
                    #expect(one == other, "\(path) at \(count)")
                }
            }
        }
        #expect(fileCount >= 50)
    }
}

/// Returns the folder of the corpus, or nil if it is missing.
func corpusDirectory() -> String? { Project.corpus }

/// Returns the files below a directory with a suffix, sorted by path.
func corpusFiles(in directory: String, suffix: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory)
        .filter { $0.hasSuffix(suffix) }.sorted().map { "\(directory)/\($0)" }
}

/// The contents of a playlist, read by a peer or by this module, as comparable lines.
private struct PlaylistTruth {
    var error: String?
    var lines: [String] = []

    init(of path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path + ".truth.json"))
        let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let truth = try #require(root["m3u8"] as? [String: Any])
        error = truth["error"] as? String
        let segments = truth["segments"] as? [[String: Any]] ?? []
        let variants = truth["playlists"] as? [[String: Any]] ?? []
        let renditions = truth["media"] as? [[String: Any]] ?? []
        if truth["is_variant"] as? Bool == true || !renditions.isEmpty {
            for variant in variants {
                lines.append("variant \(variant["uri"] ?? "") \(variant["bandwidth"] as? Int ?? 0)")
            }
            for rendition in renditions {
                lines.append(
                    "rendition \(rendition["type"] ?? "") \(rendition["group"] ?? rendition["group_id"] ?? "")"
                )
            }
            return
        }
        lines.append("target \((truth["target_duration"] as? Int).map(String.init) ?? "none")")
        lines.append("sequence \(truth["media_sequence"] as? Int ?? 0)")
        lines.append("discontinuity sequence \(truth["discontinuity_sequence"] as? Int ?? 0)")
        lines.append("ended \(truth["is_endlist"] as? Bool == true)")
        for segment in segments {
            let duration = segment["duration"] as? Double ?? 0
            let isDiscontinuity = segment["discontinuity"] as? Bool == true
            lines.append("segment \(segment["uri"] ?? "") \(duration) \(isDiscontinuity)")
        }
    }

    init(_ playlist: Playlist) {
        switch playlist {
        case .multivariant(let playlist):
            for variant in playlist.variants {
                lines.append("variant \(variant.uri) \(variant.bandwidth ?? 0)")
            }
            for rendition in playlist.renditions {
                lines.append("rendition \(rendition.kind.rawValue) \(rendition.groupID)")
            }
        case .media(let playlist):
            lines.append("target \(playlist.targetDuration.map(String.init) ?? "none")")
            lines.append("sequence \(playlist.segments.first?.mediaSequence ?? playlist.mediaSequence)")
            lines.append("discontinuity sequence \(playlist.discontinuitySequence)")
            lines.append("ended \(playlist.isEnded)")
            for segment in playlist.segments {
                lines.append("segment \(segment.uri) \(segment.duration) \(segment.isDiscontinuity)")
            }
        }
    }
}
