import ID3v2
import NielsenID3
import StreamSynthesis
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// Media initialization segments (EXT-X-MAP; RFC 8216, 4.3.2.5).
@Suite(.timeLimit(.minutes(30))) struct InitializationTests {
    private static func hasMediaTimes(_ reading: InputReading) -> [Bool] {
        reading.readings.map { reading in
            if case .read(_, let facts) = reading.outcome { facts.earliestMediaTime != nil } else { false }
        }
    }

    @Test func initializationSegment_inItsOwnFile_isReadBeforeTheFirstSegment() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(Self.hasMediaTimes(reading) == [true, true, true, true, true])
        #expect(reading.tags.map { $0.time?.seconds } == stream.tags.map { Double($0.pts) / 90_000 })
        #expect(reading.tags.map(\.origin.place.segment).first == "seg00000.m4s")
    }

    @Test func initializationSegment_asAByteRange_isReadByItsRange() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let section = stream.files["init.mp4"] ?? []
        let folder = try TemporaryFolder()
        try folder.write("all.mp4", section + stream.segmentNames.indices.flatMap { stream[$0] })
        let playlist = stream.playlist(
            header: ["#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"\(section.count)@0\""],
            before: { ["#EXT-X-BYTERANGE:\(stream[$0].count)" + ($0 == 0 ? "@\(section.count)" : "")] },
            uri: { _ in "all.mp4" })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(Self.hasMediaTimes(reading) == [true, true, true, true, true])
    }

    @Test func initializationSegment_thatChangesAndChangesBack_isReadAgainEachTime() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let section = stream.files["init.mp4"] ?? []
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        // The other initialization segment states one tick per second, so the media times show which one applies.
        try folder.write("other.mp4", Self.withTimescale(1, section))
        let playlist = stream.playlist(before: { index in
            switch index {
            case 0, 3: ["#EXT-X-MAP:URI=\"init.mp4\""]
            case 2: ["#EXT-X-MAP:URI=\"other.mp4\""]
            default: []
            }
        })
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        let timescales = reading.readings.map { reading -> UInt32? in
            if case .read(_, let facts) = reading.outcome { facts.earliestMediaTime?.timescale } else { nil }
        }
        let own = try #require(timescales.first ?? nil)
        #expect(own != 1)
        #expect(timescales == [own, own, 1, own, own])
        #expect(reading.owners == stream.owners)
    }

    @Test func tag_inAnInitializationSegment_namesItAsItsSegment() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let first = stream[0]
        let type = try #require(first.indices.first { first[$0...].starts(with: "emsg".utf8) })
        let size = first[type - 4..<type].reduce(0) { $0 << 8 | Int($1) }
        let message = first[type - 4..<type - 4 + size]
        try folder.write("init.mp4", (stream.files["init.mp4"] ?? []) + message)
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == [stream.owners[0]] + stream.owners)
        let place = try #require(reading.tags.first?.origin.place)
        #expect(place.segment == "init.mp4" && place.mediaSequence == nil)
        #expect(reading.tags[1].origin.place.segment == "seg00000.m4s")
    }

    @Test func missingInitializationSegment_isReportedOnce_andLosesNoTag() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files where name != "init.mp4" { try folder.write(name, bytes) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.index) == [0])
        #expect(reading.failures.first?.error.message.contains("init.mp4") == true)
    }

    @Test func initializationSegment_thatIsNotMedia_isReported_andLosesNoTag() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let section = try folder.write("init.mp4", "<html>")
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.error) == [.notMedia(section, likely: "it looks like an HTML page")])
    }

    /// Returns the initialization segment with another timescale in each `mdhd` box of version 0 (ISO/IEC 14496-12,
    /// 8.4.2).
    static func withTimescale(_ timescale: UInt8, _ section: [UInt8]) -> [UInt8] {
        var section = section
        for index in section.indices where section[index...].starts(with: "mdhd".utf8) {
            section.replaceSubrange(index + 16..<index + 20, with: [0, 0, 0, timescale])
        }
        return section
    }
}
