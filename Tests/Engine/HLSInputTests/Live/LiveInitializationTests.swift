import ID3v2
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// The initialization section of a live channel, which may be missing at first and change under its address.
@Suite(.timeLimit(.minutes(30))) struct LiveInitializationTests {
    private let stream: SyntheticStream
    private let section: [UInt8]
    private let site: LiveSite

    init() throws {
        stream = try SyntheticStream.fragmented.get()
        section = stream.files["init.mp4"] ?? []
        var others: [String: ServedResource] = [:]
        for (name, bytes) in stream.files where name.hasPrefix("seg") {
            others["/" + name] = ServedResource(bytes)
        }
        site = try LiveSite(others)
    }

    private func list(
        _ segments: [Int], map: String = "init.mp4", key: [String] = [],
        before: (Int) -> [String] = { _ in [] }
    ) {
        let header =
            ["#EXT-X-MEDIA-SEQUENCE:\(100 + (segments.first ?? 0))"] + key + ["#EXT-X-MAP:URI=\"\(map)\""]
        site["/index.m3u8"] = ServedResource(
            stream.playlist(segments: segments, header: header, isEnded: false, before: before))
    }

    private static func timescales(_ reader: LiveReader) -> [UInt32?] {
        reader.readings.map { reading in
            if case .read(_, let facts) = reading.reading.outcome {
                facts.earliestMediaTime?.timescale
            } else {
                nil
            }
        }
    }

    private var sectionCount: Int { site.targets.filter { $0.hasPrefix("/init") }.count }

    @Test func section_thatIsNotThereYet_isRequestedForEachSegment() async throws {
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        for segment in 0..<3 {
            list([segment])
            _ = await reader.load()
        }
        #expect(sectionCount == 3)
        site["/init.mp4"] = ServedResource(section)
        for segment in 3..<5 {
            list([segment])
            _ = await reader.load()
        }
        #expect(reader.owners == stream.owners)
        #expect(reader.failures.count == 1)
        #expect(Self.timescales(reader).map { $0 != nil } == [false, false, false, true, true])
        #expect(sectionCount == 4)
    }

    @Test func section_thatStaysTheSame_isRequestedOnce() async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        for segment in 0..<5 {
            list([segment])
            _ = await reader.load()
        }
        #expect(sectionCount == 1)
    }

    /// Without an IV, the vector of each window would be another one.
    @Test func encryptedSection_withoutAVector_isRequestedOnce() async throws {
        let key = [UInt8](0x30...0x3F)
        let vector = [UInt8](repeating: 0, count: 15) + [100]
        site["/key.bin"] = ServedResource(key)
        site["/init.mp4"] = ServedResource(try EncryptionTests.encrypt(section, key: key, vector: vector))
        for index in stream.segmentNames.indices {
            let own = [UInt8](repeating: 0, count: 15) + [UInt8(100 + index)]
            let bytes = try EncryptionTests.encrypt(stream[index], key: key, vector: own)
            site["/" + stream.segmentNames[index]] = ServedResource(bytes)
        }
        let line = ["#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\""]
        list([0], key: line)
        var reader = try await LiveReader(site.base + "/index.m3u8")
        for segment in 0..<5 {
            list([segment], key: line)
            _ = await reader.load()
        }
        #expect(reader.failures.isEmpty)
        #expect(Self.timescales(reader).allSatisfy { $0 != nil })
        #expect(sectionCount == 1)
    }

    @Test func section_thatChangesUnderItsAddress_isReadAtTheDiscontinuity() async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        list([0, 1])
        _ = await reader.load()
        site["/init.mp4"] = ServedResource(InitializationTests.withTimescale(1, section))
        list([2, 3], before: { $0 == 2 ? ["#EXT-X-DISCONTINUITY"] : [] })
        _ = await reader.load()
        #expect(Self.timescales(reader).suffix(2) == [1, 1])
        #expect(sectionCount == 2)
    }

    /// The tracks of the first version stay in force while the second one fails.
    @Test func section_thatFailsAtADiscontinuity_staysInForce() async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        site["/init.mp4"] = nil
        list([1, 2], before: { $0 == 1 ? ["#EXT-X-DISCONTINUITY"] : [] })
        _ = await reader.load()
        #expect(Self.timescales(reader).allSatisfy { $0 != nil })
        #expect(sectionCount == 3)
        #expect(reader.failures.isEmpty)
    }

    /// After three breaks in which it stayed the same, it changes at the first, second or third further discontinuity.
    @Test(arguments: [[20], [20, 21], [20, 21, 22], [20, 22]])
    func section_thatChangesSoonAfterAnotherDiscontinuity_isRead(discontinuities: [Int]) async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        for segment in 0...24 {
            if segment == discontinuities.last {
                site["/init.mp4"] = ServedResource(InitializationTests.withTimescale(1, section))
            }
            let isDiscontinuous = [2, 4, 6].contains(segment) || discontinuities.contains(segment)
            let header = ["#EXT-X-MEDIA-SEQUENCE:\(100 + segment)", "#EXT-X-MAP:URI=\"init.mp4\""]
            site["/index.m3u8"] = ServedResource(
                stream.playlist(
                    segments: [segment % 5], header: header, isEnded: false,
                    before: { _ in isDiscontinuous ? ["#EXT-X-DISCONTINUITY"] : [] }))
            _ = await reader.load()
        }
        let timescales = Self.timescales(reader)
        #expect(timescales.indices.filter { timescales[$0] == 1 } == Array((discontinuities.last ?? 0)...24))
    }

    @Test func discontinuityInEachSegment_doesNotRequestTheSectionForEach() async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        for segment in 0..<20 {
            let header = [
                "#EXT-X-MEDIA-SEQUENCE:\(100 + segment)", "#EXT-X-DISCONTINUITY-SEQUENCE:\(segment)",
                "#EXT-X-MAP:URI=\"init.mp4\"",
            ]
            site["/index.m3u8"] = ServedResource(
                stream.playlist(
                    segments: [segment % 5], header: header, isEnded: false,
                    before: { _ in ["#EXT-X-DISCONTINUITY"] }))
            _ = await reader.load()
        }
        #expect((2...10).contains(sectionCount), "\(sectionCount)")
        #expect(reader.readings.count == 20)
    }

    /// The other timescale makes the media time jump.
    @Test func section_thatChangesWithoutADiscontinuity_isReadAfterTheTimeJumps() async throws {
        site["/init.mp4"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        list([0, 1])
        _ = await reader.load()
        #expect(sectionCount == 1)
        // The segments after the change belong to a timeline an hour later.
        site["/" + stream.segmentNames[2]] = site["/" + stream.segmentNames[2]]?.with {
            $0.body = Self.shifted($0.body)
        }
        list([2, 3])
        site["/init.mp4"] = ServedResource(InitializationTests.withTimescale(1, section))
        _ = await reader.load()
        #expect(sectionCount == 2)
        #expect(Self.timescales(reader).last == 1)
    }

    /// Returns a segment with a later time in each `tfdt` box of version 1 (ISO/IEC 14496-12, 8.8.12).
    private static func shifted(_ segment: [UInt8]) -> [UInt8] {
        var segment = segment
        for index in segment.indices where segment[index...].starts(with: "tfdt".utf8) {
            segment[index + 11] = 1
        }
        return segment
    }

    @Test func section_thatMovesToAnotherAddress_isReadThere() async throws {
        site["/init.mp4"] = ServedResource(section)
        site["/init.mp4?sig=2"] = ServedResource(section)
        list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        list([1], map: "init.mp4?sig=2")
        _ = await reader.load()
        list([2], map: "init.mp4?sig=2")
        _ = await reader.load()
        #expect(Self.timescales(reader).allSatisfy { $0 != nil })
        #expect(sectionCount == 2)
    }
}
