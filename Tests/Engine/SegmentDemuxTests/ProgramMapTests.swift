import ID3v2
import LibAVDemux
import SegmentDemux
import Testing

/// The declarations of PAT and PMT, their changes, and streams without them.
@Suite struct ProgramMapTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)
    private let other = SyntheticTag.nielsen(2)

    private static let registration: [UInt8] = [0x05, 0x04] + Array("ID3 ".utf8)

    // MARK: Declarations

    @Test(arguments: [
        (UInt8(0x15), [UInt8](), false), (0x15, Builder.metadataDescriptor, true),
        (0x06, Builder.metadataDescriptor, true), (0x06, registration, false), (0x15, registration, false),
        (0x05, Builder.metadataDescriptor, true),
    ]) func stream_declaredInEachWay_yieldsItsTag(type: UInt8, descriptors: [UInt8], isNamed: Bool) throws {
        var builder = Builder()
        builder.tables([.video, .init(type: type, pid: 0x102, descriptors: descriptors)])
        builder.pes(tag, pts: 9)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [9])
        #expect(
            segment.facts.programs.first?.streams == [
                .init(pid: 0x102, streamType: type, hasMetadataDescriptor: isNamed)
            ])
    }

    /// A multiplexer that passes the packets on as private data; a language or the position in a service says nothing.
    @Test(arguments: [[], [0x52, 1, 1], [0x0A, 4, 0x65, 0x6E, 0x67, 0]] as [[UInt8]])
    func stream_ofPrivateDataWithoutAFormat_yieldsItsTags_asUndeclared(descriptors: [UInt8]) throws {
        var builder = Builder()
        builder.tables([.video, .init(type: 0x06, pid: 0x102, descriptors: descriptors)])
        builder.pes([0x20, 0, 1, 2, 3], pts: 8)
        builder.pes(tag, pts: 9)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [9])
        #expect(segment.tags.map(\.transport?.isDeclared) == [false])
        #expect(segment.facts.programs.flatMap(\.streams) == [])
        #expect(segment.facts.malformed.count == 0)
    }

    /// Subtitles, teletext and AC-3.
    @Test(
        arguments: [
            [0x59, 8, 0x65, 0x6E, 0x67, 0x10, 0, 1, 0, 1], [0x56, 5, 0x65, 0x6E, 0x67, 9, 0], [0x6A, 1, 0],
        ]
            as [[UInt8]])
    func stream_ofPrivateDataInAnotherFormat_isIgnored(descriptors: [UInt8]) throws {
        var builder = Builder()
        builder.tables([.video, .init(type: 0x06, pid: 0x102, descriptors: descriptors)])
        builder.pes(tag, pts: 9)
        #expect(try demux(builder.bytes).tags.isEmpty)
    }

    /// A hostile PMT lists more streams than are read, and the declared one last.
    @Test func declaredStream_afterTooManyPrivateOnes_isRead() throws {
        let others = (0..<40).map { Builder.Stream(type: 0x06, pid: UInt16(0x300 + $0)) }
        var builder = Builder()
        builder.tables(others + [.metadata])
        builder.pes(tag, pts: 9)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.transport?.isDeclared) == [true])
    }

    /// Metadata of another format is not listed as timed ID3, but a tag in it is returned.
    @Test func stream_declaredAsOtherMetadata_stillYieldsItsTags() throws {
        let klv = [0x26, 0x09, 0x01, 0x00, 0xFF] + Array("KLVA".utf8) + [0x00, 0x0F]
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        builder.pmt(
            1, Builder.pmtPID, [.video, .init(type: 0x15, pid: 0x102, descriptors: klv)], descriptors: [])
        builder.pes([0x06, 0x0E, 0x2B, 0x34] + [UInt8](repeating: 1, count: 90), pts: 8)
        builder.pes(tag, pts: 9)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.programs.isEmpty)
        #expect(segment.facts.malformed.count == 0)
    }

    @Test(arguments: [true, false]) func metadataPointer_isReportedPerProgram(hasPointer: Bool) throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        builder.pmt(
            1, Builder.pmtPID, [.video, .metadata],
            descriptors: hasPointer ? Builder.pointerDescriptor : [0x05, 0x04, 0x48, 0x44, 0x4D, 0x56])
        let facts = try demux(builder.bytes).facts
        #expect(facts.programs.map(\.hasMetadataPointer) == [hasPointer])
    }

    @Test func programs_several_eachYieldTheirTags() throws {
        var builder = Builder()
        builder.pat([(0, 0x10), (7, 0x1007), (8, 0x1008), (9, 0x1009)])
        builder.pmt(
            7, 0x1007,
            [.init(type: 0x1B, pid: 0x70), .init(type: 0x0F, pid: 0x71), .init(type: 0x15, pid: 0x72)])
        builder.pmt(8, 0x1008, [.init(type: 0x1B, pid: 0x80), .init(type: 0x15, pid: 0x82)], descriptors: [])
        builder.pmt(9, 0x1009, [.init(type: 0x1B, pid: 0x90), .init(type: 0x0F, pid: 0x91)], descriptors: [])
        builder.audio(pts: 700, pid: 0x71)
        builder.video(pts: 800, pid: 0x80)
        builder.audio(pts: 900, pid: 0x91)
        builder.pes(other, pts: 801, pid: 0x82)
        builder.pes(tag, pts: 701, pid: 0x72)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [other, tag])
        #expect(segment.tags.map(\.pid) == [0x82, 0x72])
        #expect(segment.tags.map(\.transport?.precedingMediaTime?.ticks) == [800, 700])
        #expect(segment.facts.programs.map(\.number) == [7, 8])
        #expect(segment.facts.programs.map(\.pmtPID) == [0x1007, 0x1008])
        #expect(segment.facts.earliestMediaTime?.ticks == 700)
    }

    // MARK: Sections

    @Test(arguments: Array(1...40)) func section_acrossSeveralPackets_isRead(size: Int) throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        builder.pmt(1, Builder.pmtPID, [.video, .audio, .metadata], payloadSizes: [size, size])
        builder.pes(tag, pts: 1)
        #expect(try demux(builder.bytes).tags.map(\.bytes) == [tag])
    }

    @Test func section_acrossFivePackets_isRead() throws {
        let many = (0..<150).map { Builder.Stream(type: 0x1B, pid: UInt16(0x300 + $0)) }
        var builder = Builder()
        builder.tables([.audio] + many + [.metadata])
        #expect(builder.indices(of: Builder.pmtPID).count == 5)
        builder.pes(tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.count == 0)
    }

    /// A private section before the PMT in the same packet, and the end of the PMT after a pointer_field.
    @Test func sections_sharingPackets_areSeparated() throws {
        let pmt = Builder.pmtSection(1, [.video, .metadata])
        let private1 = Builder.section(0xC0, 5, 0, 0, 0, [UInt8](repeating: 9, count: 150))
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        let all = private1 + pmt
        builder.packet(Builder.pmtPID, [0x00] + all.prefix(183), startsUnit: true)
        let rest = Array(all.dropFirst(183))
        builder.packet(
            Builder.pmtPID, [UInt8(rest.count)] + rest + private1.prefix(50), startsUnit: true,
            filler: .trailing)
        builder.pes(tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
    }

    @Test func pat_inTwoSections_isReadWhenComplete() throws {
        var builder = Builder()
        builder.pat([(2, 0x1002)], part: 1, lastPart: 1)
        builder.pat([(1, 0x1001)], part: 0, lastPart: 1)
        builder.pmt(2, 0x1002, [.init(type: 0x15, pid: 0x202)])
        builder.pmt(1, 0x1001, [.init(type: 0x15, pid: 0x201)])
        builder.pes(tag, pts: 1, pid: 0x201)
        builder.pes(other, pts: 2, pid: 0x202)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.facts.programs.map(\.number) == [1, 2])
    }

    /// Each packet of a PMT over three packets is sent twice, because a duplicate is valid on its PID too.
    @Test func section_withRepeatedPackets_isRead() throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        builder.pmt(1, Builder.pmtPID, [.video, .audio, .metadata], payloadSizes: [20, 20])
        for index in builder.indices(of: Builder.pmtPID).reversed() { builder.repeatPacket(at: index) }
        builder.pes(tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.count == 0)
    }

    @Test func section_withAWrongChecksum_isIgnoredAndReported() throws {
        var builder = Builder.withTables()
        builder.tables([.video], version: 1)
        let broken = builder.indices(of: Builder.pmtPID)[1]
        builder.changePacket(at: broken) { $0[20] ^= 0x01 }
        builder.pes(tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(
            segment.facts.malformed.first == [.init(offset: broken * 188, length: 188, rule: .section)])
    }

    // MARK: Changes

    @Test func pmt_withANewMetadataPID_isFollowedInMidSegment() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        builder.tables([.video, .audio, .init(type: 0x15, pid: 0x155)], version: 1)
        builder.pes(tag, pts: 2)
        builder.pes(other, pts: 3, pid: 0x155)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.pts) == [1, 3])
        #expect(segment.tags.map(\.pid) == [0x102, 0x155])
        #expect(segment.facts.programs.first?.streams.map(\.pid) == [0x155])
        #expect(segment.facts.unreportedPESCount == 0)
    }

    /// A PID changes from video to timed ID3 between segments, without a discontinuity.
    @Test func pmt_reassigningAPID_isFollowed() throws {
        var first = Builder.withTables()
        first.pes(tag, pts: 1)
        first.video(pts: 2)
        var second = Builder()
        second.tables([.init(type: 0x15, pid: 0x100), .init(type: 0x1B, pid: 0x102)], version: 1)
        second.video(pts: 3, pid: 0x102)
        second.pes(other, pts: 4, pid: 0x100)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.map(\.bytes) == [tag])
        let segment = try demuxer.demux(second.bytes)
        #expect(segment.tags.map(\.bytes) == [other])
        #expect(segment.facts.earliestMediaTime?.ticks == 3)
        #expect(segment.facts.unreportedPESCount == 0)
    }

    @Test func programMap_changedInEachSegment_losesNoTag() throws {
        var demuxer = SegmentDemuxer()
        for index in 0..<300 {
            var builder = Builder()
            let pid = UInt16(0x200 + index)
            builder.pat([(UInt16(index + 1), UInt16(0x1000 + index))], version: UInt8(index % 32))
            builder.pmt(UInt16(index + 1), UInt16(0x1000 + index), [.init(type: 0x15, pid: pid)])
            builder.pes(tag, pts: UInt64(index), pid: pid)
            let segment = try demuxer.demux(builder.bytes)
            #expect(segment.tags.map(\.pid) == [pid])
            #expect(segment.facts.unreportedPESCount == 0)
        }
    }

    /// More streams in one segment than libavformat follows: no tag is lost, in this segment or after it.
    @Test func pmt_changedBeyondTheLibavformatStreamLimit_losesNoTag() throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        for index in 0..<40 {
            let streams = (0..<30).map { Builder.Stream(type: 0x15, pid: UInt16(0x100 + index * 30 + $0)) }
            builder.pmt(1, Builder.pmtPID, streams, version: UInt8(index % 32))
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index), pid: UInt16(0x100 + index * 30))
        }
        var demuxer = SegmentDemuxer()
        let segment = try demuxer.demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == (0..<40).map(SyntheticTag.nielsen))
        #expect(segment.tags.map(\.pts) == (0..<40).map { UInt64($0) })
        var next = Builder.withTables()
        next.pes(tag, pts: 1)
        let after = try demuxer.demux(next.bytes)
        #expect(after.tags.map(\.bytes) == [tag])
        #expect(after.facts.unreportedPESCount == 0)
    }

    // MARK: Missing tables

    @Test func tables_inMidSegment_applyToEarlierPackets() throws {
        var builder = Builder()
        builder.audio(pts: 10)
        builder.pes(tag, pts: 11)
        builder.audio(pts: 12)
        builder.tables()
        builder.pes(other, pts: 13)
        for chunk in [100, .max] {
            let segment = try demux(builder.bytes, chunk: chunk)
            #expect(segment.tags.map(\.bytes) == [tag, other])
            #expect(segment.tags.map(\.transport?.precedingMediaTime?.ticks) == [10, 12])
            #expect(segment.facts.earliestMediaTime?.ticks == 10)
            #expect(segment.facts.unreportedPESCount == 0)
        }
    }

    @Test func pmt_beforeThePAT_isRead() throws {
        var builder = Builder()
        builder.audio(pts: 10)
        builder.pmt(1, Builder.pmtPID, [.video, .audio, .metadata])
        builder.pes(tag, pts: 11)
        builder.pat([(1, Builder.pmtPID)])
        builder.pes(other, pts: 12)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.transport?.precedingMediaTime?.ticks) == [10, 10])
        #expect(segment.facts.programs.map(\.number) == [1])
        #expect(segment.facts.unreportedPESCount == 0)
    }

    /// An initialization segment with the tables alone, as EXT-X-MAP specifies.
    @Test func tables_ofAnEarlierSegment_applyToTheNext() throws {
        var media = Builder()
        media.audio(pts: 10)
        media.pes(tag, pts: 11)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(Builder.withTables().bytes).tags.isEmpty)
        for index in 1...3 {
            let segment = try demuxer.demux(media.bytes, isDiscontinuous: index == 3)
            #expect(segment.tags.map(\.bytes) == [tag])
            #expect(segment.tags.map(\.segmentIndex) == [index])
            #expect(segment.facts.programs.map(\.number) == [1])
            #expect(segment.facts.unreportedPESCount == 0)
        }
    }

    @Test(arguments: [false, true]) func tables_missing_hideNoTag(hasPAT: Bool) throws {
        var builder = Builder()
        if hasPAT { builder.pat([(1, Builder.pmtPID)]) }
        builder.video(pts: 9)
        builder.pes(tag, pts: 11)
        builder.audio(pts: 12)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [11])
        #expect(segment.facts.programs.isEmpty)
    }

    /// Streams that were read without tables continue when the tables arrive.
    @Test func tables_arrivingInTheSecondSegment_applyFromThere() throws {
        var first = Builder()
        first.pes(tag, pts: 11)
        var second = Builder.withTables()
        second.pes(other, pts: 12)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.map(\.bytes) == [tag])
        let segment = try demuxer.demux(second.bytes)
        #expect(segment.tags.map(\.bytes) == [other])
        #expect(segment.tags.map(\.pts) == [12])
        #expect(segment.facts.unreportedPESCount == 0)
    }

    /// The PAT names a program whose PMT never arrives, as in a stream taken out of a multiplex.
    @Test func pmt_missingForOneProgram_hidesNoTag() throws {
        var builder = Builder()
        builder.pat([(5, 0x1005), (1, Builder.pmtPID)])
        builder.pmt(1, Builder.pmtPID, [.video, .audio, .metadata])
        builder.video(pts: 9)
        builder.pes(tag, pts: 11)
        builder.pes(other, pts: 12, pid: 0x222)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.facts.programs.map(\.number) == [1])
    }
}
