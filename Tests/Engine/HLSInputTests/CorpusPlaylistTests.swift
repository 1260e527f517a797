import Foundation
import ID3v2
import NielsenID3
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// Streams of the reference files, read by their playlists and compared with the results of other readers.
@Suite(.timeLimit(.minutes(30)), .enabled(if: ReferenceFiles.areThere, "the reference files are absent"))
struct CorpusPlaylistTests {
    /// Returns the PTS of the ID3 packets of each segment in a folder, as listed in the manifest.
    ///
    /// The manifest has lines of the form `| id3-random/output19.ts | … | pts 5316000,5436000; …`.
    private static func times(of folder: String) throws -> [String: [UInt64]] {
        let manifest = try String(contentsOfFile: ReferenceFiles.root + "/MANIFEST.md", encoding: .utf8)
        var times: [String: [UInt64]] = [:]
        for line in manifest.split(separator: "\n") where line.hasPrefix("| \(folder)/output") {
            let name = line.dropFirst(2 + folder.count + 1).prefix { $0 != " " }
            let stated =
                line.ranges(of: "| pts ").first.map { line[$0.upperBound...].prefix { $0 != ";" } } ?? ""
            times[String(name)] = stated.split(separator: ",").compactMap { UInt64($0) }
        }
        return times
    }

    @Test func transportStreams_yieldEveryID3PacketOfTheirSegments() async throws {
        let folder = "id3-boundary"
        let times = try Self.times(of: folder)
        let reading = try await InputReading(
            "\(ReferenceFiles.root)/monyone-hls-sample/\(folder)/output.m3u8", keepsOtherTags: true)
        #expect(reading.failures.isEmpty)
        #expect(reading.readings.flatMap(\.otherTags).count == 34)
        for reading in reading.readings {
            #expect(
                reading.otherTags.compactMap { $0.metadata.time?.ticks } == times[reading.name],
                "\(reading.name)")
            #expect(reading.otherTags.allSatisfy { $0.place.segment == reading.name })
            #expect(reading.observation.otherTagCount == reading.otherTags.count)
        }
    }

    /// Times of 25 hours on a 90 kHz timeline, near the end of the 33 bits of a PTS, are absolute.
    @Test func fragments_yieldAbsoluteTimes() async throws {
        let reading = try await InputReading(
            "\(ReferenceFiles.root)/gpac-made/telos/telos.m3u8", keepsOtherTags: true)
        let tags = reading.readings.flatMap(\.otherTags)
        #expect(tags.map(\.place.segment) == ["t1_dash2.m4s", "t1_dash3.m4s"])
        let ticks: [Double] = [8_102_069_984, 8_102_192_864]
        #expect(tags.map(\.seconds) == ticks.map { $0 / 90_000 })
        #expect(reading.readings.count == 3 && reading.failures.isEmpty)
    }

    /// Reads the folder instead of the DASH manifest that was made with it.
    @Test func folderOfFragments_yieldsTheNielsenTags() async throws {
        let reading = try await InputReading("\(ReferenceFiles.root)/gpac-made/nielsenlike")
        let ticks = reading.tags.filter { $0.origin.place.segment?.hasSuffix(".m4s") == true }.map {
            $0.time?.ticks
        }
        #expect(ticks == [126_000, 306_000, 486_000, 666_000])
        // The truth files of the other readers are not media.
        #expect(reading.failures.allSatisfy { reading.readings[$0.index].name.hasSuffix(".json") })
    }
}

/// The location of the reference files.
private enum ReferenceFiles {
    static let root = Project.corpus ?? "/nonexistent"

    static let areThere = Project.corpus != nil
}
