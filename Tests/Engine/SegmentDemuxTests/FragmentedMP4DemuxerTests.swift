import ID3v2
import Testing

@testable import SegmentDemux

@Suite struct FragmentedMP4DemuxerTests {
    private static let tag = privateTag(owner: "www.nielsen.com/x")
    private static let other = privateTag(owner: "www.nielsen.com/y")

    private static func box(_ type: String, _ payload: [UInt8] = []) -> [UInt8] {
        bigEndian(UInt32(payload.count + 8)) + Array(type.utf8) + payload
    }

    private static func fullBox(_ type: String, _ version: UInt8, flags: UInt32 = 0, _ payload: [UInt8])
        -> [UInt8]
    {
        box(type, bigEndian(UInt32(version) << 24 | flags) + payload)
    }

    private static func event(
        _ version: UInt8, time: UInt64, timescale: UInt32 = 90_000, id: UInt32 = 1,
        scheme: String = "https://aomedia.org/emsg/ID3", value: String = "", _ message: [UInt8] = tag
    ) -> [UInt8] {
        let texts = Array(scheme.utf8) + [0] + Array(value.utf8) + [0]
        let rest = bigEndian(UInt32.max) + bigEndian(id)
        if version == 0 {
            return fullBox(
                "emsg", 0, texts + bigEndian(timescale) + bigEndian(UInt32(time)) + rest + message)
        }
        return fullBox("emsg", 1, bigEndian(timescale) + bigEndian(time) + rest + texts + message)
    }

    /// Returns a track with a number, a kind and a timescale.
    private static func track(_ id: UInt32, _ kind: String, _ timescale: UInt32) -> [UInt8] {
        box(
            "trak",
            fullBox("tkhd", 0, bigEndian(UInt64(0)) + bigEndian(id))
                + box(
                    "mdia",
                    fullBox("mdhd", 0, bigEndian(UInt64(0)) + bigEndian(timescale))
                        + fullBox("hdlr", 0, bigEndian(UInt32(0)) + Array(kind.utf8))))
    }

    private static func initialization(_ tracks: [UInt8]..., extends: [UInt8] = []) -> [UInt8] {
        box("ftyp", Array("iso6".utf8)) + box("moov", tracks.flatMap { $0 } + box("mvex", extends))
    }

    private static func extends(_ id: UInt32, duration: UInt32) -> [UInt8] {
        fullBox("trex", 0, bigEndian(id) + bigEndian(UInt32(1)) + bigEndian(duration))
    }

    private static func fragment(_ id: UInt32, at time: UInt64, samples: Int = 1, duration: UInt32? = nil)
        -> [UInt8]
    {
        let header =
            duration.map { fullBox("tfhd", 0, flags: 8, bigEndian(id) + bigEndian($0)) }
            ?? fullBox("tfhd", 0, bigEndian(id))
        return box(
            "moof",
            box("mfhd", [0, 0, 0, 0])
                + box(
                    "traf",
                    header + fullBox("tfdt", 1, bigEndian(time))
                        + fullBox("trun", 0, bigEndian(UInt32(samples)))))
            + box("mdat", [UInt8](repeating: 0x49, count: 500))
    }

    private static func sidx(_ timescale: UInt32, _ time: UInt32) -> [UInt8] {
        fullBox(
            "sidx", 0, bigEndian(UInt32(1)) + bigEndian(timescale) + bigEndian(time) + bigEndian(UInt64(0)))
    }

    static let initializationOfAudio = initialization(track(1, "soun", 48_000))

    /// Returns a segment with an event whose time counts from the first fragment; `number` distinguishes the messages.
    static func segmentOfAudio(message number: UInt8) -> [UInt8] {
        let message = privateTag(owner: "www.nielsen.com/x", data: [number])
        return event(0, time: 10, timescale: 48_000, message) + fragment(1, at: 48_000)
    }

    static func eventMessage(_ message: [UInt8]) -> [UInt8] { event(1, time: 1, message) }

    @Test func eventMessages_ofBothVersions_haveTheirTimes() throws {
        var demuxer = FragmentedMP4Demuxer()
        let start = Self.initialization(
            Self.track(1, "vide", 12_800), Self.track(2, "soun", 48_000),
            extends: Self.extends(1, duration: 512) + Self.extends(2, duration: 1_024))
        let first = try demuxer.segment(start)
        #expect(first.facts.container == .fragmentedMP4(isInitialization: true))
        #expect(first.tags.isEmpty && first.facts.earliestMediaTime == nil && first.facts.hasAudio == nil)
        let bytes =
            Self.event(0, time: 900, id: 1) + Self.event(1, time: 1 << 40, timescale: 1_000, id: 2)
            + Self.fragment(1, at: 128_000, samples: 10) + Self.event(0, time: 5, timescale: 10, id: 3)
            + Self.fragment(2, at: 480_024, samples: 10)
        let second = try demuxer.segment(bytes, index: 1)
        #expect(second.facts.container == .fragmentedMP4(isInitialization: false))
        #expect(second.facts.earliestMediaTime == MediaTimestamp(ticks: 480_024, timescale: 48_000))
        #expect(second.facts.latestMediaTime == MediaTimestamp(ticks: 480_024 + 9 * 1_024, timescale: 48_000))
        #expect(second.facts.hasAudio == true)
        #expect(
            second.tags.map(\.time) == [
                MediaTimestamp(ticks: 900_045 + 900, timescale: 90_000),
                MediaTimestamp(ticks: 1 << 40, timescale: 1_000), MediaTimestamp(ticks: 105, timescale: 10),
            ])
        #expect(second.tags.map(\.bytes) == [Self.tag, Self.tag, Self.tag])
        #expect(second.tags.map(\.segmentIndex) == [1, 1, 1])
        for tag in second.tags {
            #expect(Array(bytes[tag.offset..<tag.offset + tag.bytes.count]) == tag.bytes)
            #expect(tag.completeness == .complete)
        }
        #expect(second.facts.malformed.count == 0)
        #expect(second.facts.byteCount == UInt64(bytes.count))
    }

    @Test(arguments: [UInt8(0), 1])
    func eventMessage_withZeroTimescale_keepsItsTag_withoutATime(version: UInt8) throws {
        var demuxer = FragmentedMP4Demuxer()
        let bytes = Self.event(version, time: 900, timescale: 0) + Self.fragment(1, at: 128_000)
        let segment = try demuxer.segment(bytes)
        #expect(segment.tags.map(\.bytes) == [Self.tag])
        #expect(segment.tags.map(\.time) == [nil])
        #expect(segment.facts.malformed.first.map(\.rule) == ["isobmff.zero-timescale"])
    }

    /// The samples of a fragment continue from run to run: three of 20 ticks, two with their own durations, one more.
    @Test func fragment_ofSeveralRuns_spansAllTheirDurations() throws {
        var demuxer = FragmentedMP4Demuxer()
        _ = try demuxer.segment(Self.initialization(Self.track(1, "soun", 1_000)))
        let stated = bigEndian(UInt32(2)) + bigEndian(UInt32(100)) + bigEndian(UInt32(7))
        let runs = [
            Self.fullBox("trun", 0, bigEndian(UInt32(3))), Self.fullBox("trun", 0, flags: 0x100, stated),
            Self.fullBox("trun", 0, bigEndian(UInt32(0))), Self.fullBox("trun", 0, bigEndian(UInt32(1))),
        ]
        for (count, last) in [(1, 50 + 40), (2, 50 + 60 + 100), (3, 50 + 60 + 100), (4, 50 + 60 + 107)] {
            let header = Self.fullBox("tfhd", 0, flags: 8, bigEndian(UInt32(1)) + bigEndian(UInt32(20)))
            let time = Self.fullBox("tfdt", 1, bigEndian(UInt64(50)))
            let fragment = Self.box("traf", header + time + runs[..<count].flatMap { $0 })
            let segment = try demuxer.segment(Self.box("moof", fragment) + Self.box("mdat"), index: count)
            #expect(segment.facts.earliestMediaTime?.ticks == 50)
            #expect(segment.facts.latestMediaTime?.ticks == UInt64(last), "\(count)")
        }
    }

    @Test func version0Event_withASegmentIndex_isRelativeToIt() throws {
        var demuxer = FragmentedMP4Demuxer()
        _ = try demuxer.segment(Self.initialization(Self.track(1, "soun", 48_000)))
        let event = Self.event(0, time: 10, timescale: 1_000)
        let fragment = Self.fragment(1, at: 96_000)
        let indexed = try demuxer.segment(
            event + Self.sidx(100, 300) + Self.sidx(100, 900) + fragment, index: 1)
        #expect(indexed.tags.map(\.time?.ticks) == [3_010])
        let plain = try demuxer.segment(event + fragment, index: 2)
        #expect(plain.tags.map(\.time?.ticks) == [2_010])
    }

    @Test func version0Event_withoutAKnownStart_hasNoTime() throws {
        var demuxer = FragmentedMP4Demuxer()
        let segment = try demuxer.segment(Self.event(0, time: 10) + Self.fragment(1, at: 96_000))
        #expect(segment.tags.map(\.time) == [nil])
        #expect(segment.facts.earliestMediaTime == nil)
    }

    @Test func video_isTheClock_whenAudioIsAbsent() throws {
        var demuxer = FragmentedMP4Demuxer()
        _ = try demuxer.segment(
            Self.initialization(Self.track(1, "vide", 1_000), Self.track(2, "meta", 1_000)))
        let segment = try demuxer.segment(
            Self.fragment(2, at: 1) + Self.fragment(1, at: 50, samples: 3, duration: 20)
                + Self.fragment(1, at: 110, samples: 2, duration: 20))
        #expect(segment.facts.earliestMediaTime?.ticks == 50)
        #expect(segment.facts.latestMediaTime?.ticks == 130)
        #expect(segment.facts.hasAudio == false)
    }

    @Test func initializationSegment_replacesTheEarlierOne() throws {
        var demuxer = FragmentedMP4Demuxer()
        _ = try demuxer.segment(Self.initialization(Self.track(1, "soun", 48_000)))
        _ = try demuxer.segment(Self.initialization(Self.track(1, "soun", 1_000)))
        let segment = try demuxer.segment(Self.fragment(1, at: 5))
        #expect(segment.facts.earliestMediaTime == MediaTimestamp(ticks: 5, timescale: 1_000))
    }

    /// All schemes of the carriage table, unknown schemes, and one that is not ID3.
    @Test func tag_inAnEventMessage_isFoundUnderAnyScheme() throws {
        let schemes = [
            "https://aomedia.org/emsg/ID3", "www.nielsen.com:id3:v1",
            "https://developer.apple.com/streaming/emsg-id3", "http://www.id3.org/", "urn:foo:bar:2023", "",
        ]
        var demuxer = FragmentedMP4Demuxer()
        let bytes = schemes.enumerated().flatMap { index, scheme in
            Self.event(UInt8(index % 2), time: 1, id: UInt32(index), scheme: scheme, value: "v\(index)")
        }
        let splice = Self.event(1, time: 1, scheme: "urn:scte:scte35:2013:bin", [0xFC, 0x30] + Self.tag)
        let segment = try demuxer.segment(bytes + splice)
        let events = segment.tags.compactMap { tag -> Carriage.EventMessage? in
            if case .eventMessage(let event) = tag.carriage { event } else { nil }
        }
        #expect(events.map(\.schemeIDURI) == schemes)
        #expect(events.map(\.value) == (0..<6).map { "v\($0)" })
        #expect(events.map(\.version) == [0, 1, 0, 1, 0, 1])
        #expect(events.map(\.id) == [0, 1, 2, 3, 4, 5])
        #expect(events.map(\.duration) == Array(repeating: nil, count: 6))
        #expect(segment.facts.malformed.count == 0)
    }

    @Test func message_withoutATag_isMalformedOnlyIfItsSchemeDeclaresID3() throws {
        var demuxer = FragmentedMP4Demuxer()
        let segment = try demuxer.segment(
            Self.event(1, time: 1, [1, 2, 3]) + Self.event(1, time: 1, scheme: "urn:x", [1, 2, 3])
                + Self.event(1, time: 1, []))
        #expect(segment.tags.isEmpty)
        #expect(segment.facts.malformed.first.map(\.rule) == ["emsg.no-tag", "emsg.no-tag"])
    }

    @Test func message_withSeveralTags_yieldsAllOfThem() throws {
        var demuxer = FragmentedMP4Demuxer()
        let bytes = Self.event(1, time: 7, Self.tag + Self.other + [0, 0] + Self.tag)
        let segment = try demuxer.segment(bytes)
        #expect(segment.tags.map(\.bytes) == [Self.tag, Self.other, Self.tag])
        for tag in segment.tags { #expect(Array(bytes[tag.offset...].prefix(tag.bytes.count)) == tag.bytes) }
    }

    @Test func message_shorterThanItsTag_isTruncated() throws {
        for count in 10..<Self.tag.count {
            var demuxer = FragmentedMP4Demuxer()
            let segment = try demuxer.segment(Self.event(1, time: 7, Array(Self.tag.prefix(count))))
            #expect(segment.tags.map(\.bytes) == [Array(Self.tag.prefix(count))])
            #expect(segment.tags.map(\.completeness) == [.truncated(expected: Self.tag.count)])
        }
    }

    @Test func mp4Segment_truncatedAnywhere_yieldsTheCompleteTags() throws {
        let bytes = Self.event(1, time: 7) + Self.event(0, time: 8, Self.other)
        let first = Self.event(1, time: 7).count
        for count in 0..<bytes.count {
            var demuxer = FragmentedMP4Demuxer()
            let segment = try demuxer.segment(Array(bytes[..<count]))
            let whole = segment.tags.filter { $0.completeness == .complete }
            #expect(whole.count == (count >= first ? 1 : 0))
            #expect(segment.tags.count <= 2)
            #expect(segment.facts.malformed.count == 0 || count != first)
            for tag in segment.tags {
                #expect(
                    (tag.bytes.starts(with: Self.tag.prefix(tag.bytes.count)))
                        || tag.bytes.starts(with: Self.other.prefix(tag.bytes.count)))
            }
        }
    }

    @Test func eventMessageID_reusedWithOtherData_isReportedAndKept() throws {
        var demuxer = FragmentedMP4Demuxer()
        let first = try demuxer.segment(Self.event(1, time: 1, id: 5) + Self.event(1, time: 1, id: 6))
        #expect(first.facts.changedEventMessages.count == 0)
        let second = try demuxer.segment(
            Self.event(1, time: 1, id: 5) + Self.event(1, time: 9, id: 6, Self.other)
                + Self.event(1, time: 9, id: 5, value: "other", Self.other), index: 1)
        #expect(second.tags.count == 3)
        #expect(second.facts.changedEventMessages.first == [6])
        let third = try demuxer.segment(Self.event(1, time: 9, id: 6), index: 2, isDiscontinuous: true)
        #expect(third.facts.changedEventMessages.count == 0)
    }

    @Test func eventMessageHistory_overItsLimit_dropsTheOldest() throws {
        var history = EventMessageHistory()
        func isChange(_ id: UInt32, _ message: [UInt8]) -> Bool {
            history.isChange(
                EventMessageDigest(scheme: "s", value: "", id: id, message: message.span))
        }
        for id in 0..<UInt32(5_000) where isChange(id, Self.tag) { Issue.record("\(id) is new") }
        #expect(!isChange(0, Self.other))
        #expect(isChange(4_999, Self.other))
    }

    @Test func id32Box_inEachContainerBox_yieldsATagWithoutATime() throws {
        let id32 = Self.fullBox("ID32", 0, [0x15, 0xC7] + Self.tag)
        let meta = Self.fullBox(
            "meta", 0, Self.fullBox("hdlr", 0, bigEndian(UInt32(0)) + Array("ID32".utf8)) + id32)
        let bytes =
            Self.box("moov", meta + Self.box("udta", meta) + Self.box("trak", meta)) + meta
            + Self.box("moof", meta + Self.box("traf", meta))
        var demuxer = FragmentedMP4Demuxer()
        let segment = try demuxer.segment(bytes)
        #expect(segment.tags.map(\.bytes) == Array(repeating: Self.tag, count: 6))
        #expect(segment.tags.allSatisfy { $0.carriage == .metadataBox && $0.time == nil })
        for tag in segment.tags { #expect(Array(bytes[tag.offset...].prefix(tag.bytes.count)) == tag.bytes) }
    }

    @Test func mp4Segment_inChunksOfEverySize_isDemuxedIdentically() throws {
        let bytes =
            Self.initialization(Self.track(1, "soun", 48_000)) + Self.sidx(100, 300) + Self.event(0, time: 1)
            + Self.event(1, time: 2, Self.other + Self.tag) + Self.fragment(1, at: 9, samples: 5)
            + Self.event(1, time: 2, Array(Self.other.dropLast())) + Self.fragment(1, at: 90, samples: 5)
        var demuxer = FragmentedMP4Demuxer()
        let whole = try demuxer.segment(bytes)
        #expect(whole.tags.count == 4)
        for chunk in 1...200 {
            for skipping in [false, true] {
                var demuxer = FragmentedMP4Demuxer()
                let split = try demuxer.segment(bytes, chunk: chunk, skipping: skipping)
                #expect(split == whole, "chunks of \(chunk)")
            }
        }
    }

    @Test func mediaData_isSkippedByItsSize() throws {
        var demuxer = FragmentedMP4Demuxer()
        var filter = demuxer.makeFilter(DemuxLimits())
        demuxer.beginSegment(index: 0, isDiscontinuous: false)
        let start = bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(UInt64(1) << 40)
        filter.feed(start.span)
        #expect(filter.skippableByteCount == 1 << 40 - 16)
        filter.skip((1 << 40) - 16)
        #expect(filter.skippableByteCount == 0)
        filter.feed(Self.event(1, time: 1).span)
        let segment = demuxer.endSegment(filter.finish())
        #expect(segment.tags.map(\.offset) == [1 << 40 + 62])
        #expect(segment.facts.malformed.count == 0)
    }

    @Test func tags_pastTheLimit_areReported() throws {
        var limits = DemuxLimits()
        limits.maximumSegmentTagByteCount = Self.tag.count * 2
        var demuxer = FragmentedMP4Demuxer()
        let segment = try demuxer.segment(
            (0..<5).flatMap { Self.event(1, time: 1, id: $0) }, limits: limits)
        #expect(segment.tags.count == 2)
        #expect(
            segment.facts.malformed.first.map(\.rule) == Array(repeating: "segment.tags-too-long", count: 3))
    }

    @Test func eventMessagesWithoutTags_areCounted_beyondTheListLimit() throws {
        for count in 63...66 {
            var demuxer = FragmentedMP4Demuxer()
            let segment = try demuxer.segment(
                (0..<count).flatMap { Self.event(1, time: 1, id: UInt32($0), [0x00]) })
            #expect(segment.facts.malformed.tags.count == count)
            #expect(segment.facts.malformed.tags.first.count == min(count, 64))
            #expect(segment.facts.malformed.tags.first.allSatisfy { $0.rule == "emsg.no-tag" })
        }
    }

    @Test func timescaleConversion_roundsToTheNearestTick() {
        for (ticks, from, to, expected) in [
            (1, 3, 90_000, 30_000), (1, 90_000, 3, 0), (45_000, 90_000, 1, 1), (44_999, 90_000, 1, 0),
            (7, 7, 7, 7),
        ] as [(UInt64, UInt32, UInt32, UInt64)] {
            #expect(MediaTimestamp(ticks: ticks, timescale: from)?.ticks(in: to) == expected)
        }
        #expect(MediaTimestamp(ticks: .max, timescale: 1)?.ticks(in: 2) == nil)
        #expect(MediaTimestamp(ticks: .max, timescale: .max)?.ticks(in: 1) == 4_294_967_297)
    }
}
