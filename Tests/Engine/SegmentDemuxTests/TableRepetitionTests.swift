import ID3v2
import SegmentDemux
import Testing

/// Repeated PAT and PMT: their contents apply whenever they differ from the previous ones.
@Suite struct TableRepetitionTests {
    private typealias Builder = TransportStreamBuilder

    private static let first = [Builder.Stream.video, .init(type: 0x15, pid: 0x201)]
    private static let second = [Builder.Stream.video, .init(type: 0x15, pid: 0x202)]

    /// A PMT that is sent `count` times, changes, and changes back, is followed each time.
    @Test(arguments: 1...4) func pmt_changingBackAndForth_isFollowed(count: Int) throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        var sent: [[UInt8]] = []
        for (turn, streams) in [Self.first, Self.second, Self.first, Self.second].enumerated() {
            for _ in 0..<count { builder.pmt(1, Builder.pmtPID, streams) }
            let pid = streams[1].pid
            // One tag is on the PID that is declared now, and one on the other PID.
            let tag = SyntheticTag.nielsen(turn)
            builder.pes(tag, pts: UInt64(turn), pid: pid)
            builder.pes(SyntheticTag.nielsen(100 + turn), pts: UInt64(turn), pid: pid ^ 0x003)
            sent.append(tag)
        }
        let segment = try demux(builder.bytes)
        #expect(
            segment.tags.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
                == sent.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// A PMT belongs to no program while the PAT names another program on its PID; after the next PAT, it does.
    @Test(arguments: 1...4) func pmt_beforeItsPAT_appliesOnceRepeatedAfterIt(count: Int) throws {
        var builder = Builder()
        builder.pat([(2, Builder.pmtPID)])
        for _ in 0..<count { builder.pmt(1, Builder.pmtPID, Self.first) }
        builder.pat([(1, Builder.pmtPID)])
        builder.pmt(1, Builder.pmtPID, Self.first)
        let facts = try demux(builder.bytes).facts
        #expect(facts.programs.map(\.number) == [1])
    }

    /// A program that leaves the PAT and returns is unknown until its PMT is sent again.
    @Test(arguments: 1...4) func program_removedAndRestored_isReadAgain(count: Int) throws {
        let tag = SyntheticTag.nielsen(1)
        var builder = Builder()
        for associated in [UInt16(1), 2, 1] {
            for _ in 0..<count { builder.pat([(associated, Builder.pmtPID)]) }
            for _ in 0..<count { builder.pmt(1, Builder.pmtPID, Self.first) }
        }
        builder.pes(tag, pts: 1, pid: 0x201)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.programs.map(\.number) == [1])
    }

    /// A malformed section is counted each time it is sent.
    @Test func malformedSection_repeated_isReportedEachTime() throws {
        // The checksum is valid, but the program loop is longer than the section.
        let broken = Builder.section(0x02, 1, 0, 0, 0, Builder.two(0xE100) + Builder.two(0xF3FF))
        var builder = Builder()
        builder.tables()
        for _ in 0..<5 { builder.section(Builder.pmtPID, broken) }
        let malformed = try demux(builder.bytes).facts.malformed
        #expect(malformed.first.map(\.offset) == (2..<7).map { $0 * 188 })
        #expect(malformed.first.allSatisfy { $0.rule == "psi.section" })
    }

    /// The filter passes only the first packets of the tables, however often they are sent.
    @Test(arguments: [1, 2, 3, 20]) func tables_sentRepeatedly_yieldTheSameTags(count: Int) throws {
        var builder = Builder()
        for number in 0..<count {
            builder.tables()
            builder.pes(SyntheticTag.nielsen(number), pts: UInt64(number))
        }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == (0..<count).map { SyntheticTag.nielsen($0) })
        #expect(segment.facts.malformed.count == 0)
    }
}
