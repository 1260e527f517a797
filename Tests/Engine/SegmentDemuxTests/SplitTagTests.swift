import ID3v2
import LibAVDemux
import Testing

@testable import SegmentDemux

/// Every form of a tag header, in every carriage, divided at every position.
@Suite struct SplitTagTests {
    private typealias Builder = TransportStreamBuilder

    /// The forms: each version with each of its flags and extended headers.
    static let forms: [TagForm] = TagForm.all

    private static let other = SyntheticTag.text(byteCount: 12)

    private func expect(_ tags: [TimedMetadata], _ expected: [[UInt8]], _ form: TagForm, _ split: String) {
        #expect(tags.map(\.bytes) == expected, "\(form), \(split)")
        #expect(tags.allSatisfy { $0.completeness == .complete }, "\(form), \(split)")
    }

    @Test(arguments: forms) func tag_acrossTransportPackets_isComplete(form: TagForm) throws {
        var builder = Builder.withTables()
        let splits = 1..<form.bytes.count
        for split in splits { builder.pes(form.bytes, pts: UInt64(split), sizes: [14 + split]) }
        let segment = try demux(builder.bytes)
        expect(segment.tags, splits.map { _ in form.bytes }, form, "packets")
        #expect(segment.facts.malformed.count == 0)
    }

    @Test(arguments: forms) func tag_acrossTwoPES_isComplete(form: TagForm) throws {
        var builder = Builder.withTables()
        let splits = 1..<form.bytes.count
        for split in splits {
            builder.pes(Array(form.bytes.prefix(split)), pts: UInt64(split))
            builder.pes(Array(form.bytes.dropFirst(split)) + Self.other, pts: 0)
        }
        let segment = try demux(builder.bytes)
        expect(segment.tags, splits.flatMap { _ in [form.bytes, Self.other] }, form, "PES packets")
        #expect(segment.facts.malformed.count == 0)
    }

    /// Each segment begins with the rest of the previous tag; the PES packet is divided, or there are two.
    @Test(arguments: forms.filter(\.isPlain)) func tag_acrossSegments_isComplete(form: TagForm) throws {
        for isDeclared in [true, false] {
            var demuxer = SegmentDemuxer()
            var builder = Builder()
            var tags: [TimedMetadata] = []
            let splits = 1..<form.bytes.count
            let stream =
                isDeclared ? Builder.Stream.metadata : .init(type: 0x15, pid: 0x102, descriptors: klv)
            builder.tables([.audio, stream])
            for split in splits {
                let pes = Builder.pes(form.bytes, pts: 1)
                builder.payload(0x102, Array(pes.prefix(14 + split)))
                tags += try demuxer.demux(builder.bytes).tags
                builder = Builder()
                builder.tables([.audio, stream])
                builder.payload(0x102, Array(pes.dropFirst(14 + split)), startsUnit: false)
            }
            tags += try demuxer.demux(builder.bytes).tags
            expect(tags, splits.map { _ in form.bytes }, form, "segments, declared: \(isDeclared)")
        }
    }

    private let klv: [UInt8] = [0x05, 4] + Array("KLVA".utf8)

    @Test(arguments: forms) func tag_beforeTransportPackets_fedInTwoParts_isComplete(form: TagForm) {
        var builder = Builder.withTables()
        for index in 0..<6 { builder.audio(pts: UInt64(index)) }
        let bytes = form.bytes + Self.other + builder.bytes
        for split in 0...form.bytes.count + Self.other.count {
            var filter = TransportStreamFilter()
            filter.feed(bytes.span.extracting(0..<split))
            filter.feed(bytes.span.extracting(split..<bytes.count))
            let front = filter.finish().front
            #expect(
                front.tags.map(\.range.count) == [form.bytes.count, Self.other.count], "\(form) at \(split)")
        }
    }

    @Test(arguments: forms) func tag_inPackedAudio_fedInTwoParts_isComplete(form: TagForm) throws {
        let frame = PackedAudioDemuxerTests.adts(16)
        let bytes = form.bytes + frame + form.bytes + frame
        for split in 0...bytes.count {
            var filter = PackedAudioFilter()
            filter.feed(bytes.span.extracting(0..<split))
            filter.feed(bytes.span.extracting(split..<bytes.count))
            let audio = filter.finish()
            #expect(audio.tags.map(\.bytes) == [form.bytes, form.bytes], "\(form) at \(split)")
            #expect(audio.facts.malformed.count == 0)
        }
    }

    @Test(arguments: forms) func tag_inAnEventMessage_fedInTwoParts_isComplete(form: TagForm) {
        let payload = bigEndian(UInt64(1) << 56 | 90_000) + bigEndian(UInt64(5)) + bigEndian(UInt64(1))
        let texts = Array("https://aomedia.org/emsg/ID3\0\0".utf8)
        let content = payload + texts + form.bytes + form.bytes
        let bytes = bigEndian(UInt32(content.count + 8)) + Array("emsg".utf8) + content
        for split in 0...bytes.count {
            var filter = FragmentedMP4Filter()
            filter.feed(bytes.span.extracting(0..<split))
            filter.feed(bytes.span.extracting(split..<bytes.count))
            #expect(filter.finish().tags.map(\.bytes) == [form.bytes, form.bytes], "\(form) at \(split)")
        }
    }

    /// A tag whose end is missing is a truncated tag, wherever it ends.
    @Test(arguments: forms) func tag_cutAnywhere_isTruncated(form: TagForm) throws {
        var builder = Builder.withTables()
        let counts = 10..<form.bytes.count
        for count in counts { builder.pes(Array(form.bytes.prefix(count)), pts: UInt64(count)) }
        builder.pes(Self.other, pts: 0)
        let segment = try demux(builder.bytes)
        #expect(
            segment.tags.map(\.bytes) == counts.map { Array(form.bytes.prefix($0)) } + [Self.other], "\(form)"
        )
        #expect(segment.facts.truncatedPESCount == counts.count)
    }
}

/// One form of a tag, written from the standards without code of the demuxer.
struct TagForm: Sendable, CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    /// Whether the tag has none of the flags that leave its layout unchanged.
    let isPlain: Bool

    static let all: [TagForm] = [2, 3, 4].flatMap { version in
        [0, 0x80].flatMap { unsynchronisation in
            (version == 2 ? [0] : [0, 0x20]).flatMap { experimental in
                (version == 4 ? [0, 0x10] : [0]).flatMap { footer in
                    extendedHeaders(version).map { name, header in
                        TagForm(version, UInt8(unsynchronisation | experimental | footer), name, header)
                    }
                }
            }
        }
    }

    private static func extendedHeaders(_ version: Int) -> [(name: String, bytes: [UInt8])] {
        let none = (name: "no extended header", bytes: [UInt8]())
        switch version {
        case 2: return [none]
        case 3:
            return [
                none, ("extended header", bigEndian(UInt32(6)) + [0, 0] + bigEndian(UInt32(4))),
                (
                    "CRC",
                    bigEndian(UInt32(10)) + [0x80, 0] + bigEndian(UInt32(4)) + [0xFF, 0x00, 0xFF, 0xE1]
                ),
            ]
        default:
            return [
                none, ("extended header", [0, 0, 0, 6, 1, 0]), ("update", [0, 0, 0, 7, 1, 0x40, 0]),
                ("CRC", [0, 0, 0, 12, 1, 0x20, 5, 0x0F, 1, 2, 3, 4]),
                ("restrictions", [0, 0, 0, 8, 1, 0x10, 1, 0x55]),
                ("all", [0, 0, 0, 15, 1, 0x70, 0, 5, 0x0F, 1, 2, 3, 4, 1, 0x55]),
            ]
        }
    }

    private init(_ version: Int, _ flags: UInt8, _ name: String, _ header: [UInt8]) {
        let content = Array("x\0".utf8) + [0xFF, 0x00, 0xFF, 0xE1, 0x49]
        let isUnsynchronised = flags & 0x80 != 0
        var frame: [UInt8]
        switch version {
        case 2: frame = Array("UFI".utf8) + [0, 0, UInt8(content.count)] + content
        case 3: frame = Array("PRIV".utf8) + bigEndian(UInt32(content.count)) + [0, 0] + content
        default:
            let stored = isUnsynchronised ? Self.unsynchronise(content) : content
            let frameFlags: UInt8 = isUnsynchronised ? 2 : 0
            frame = Array("PRIV".utf8) + SyntheticTag.syncSafe(stored.count) + [0, frameFlags] + stored
        }
        let padding: [UInt8] = version == 3 && !header.isEmpty ? [0, 0, 0, 0] : []
        var body = header + frame + padding
        if version < 4, isUnsynchronised { body = Self.unsynchronise(body) }
        let flags = flags | (header.isEmpty ? 0 : 0x40)
        let rest = [UInt8(version), 0, flags] + SyntheticTag.syncSafe(body.count)
        bytes = Array("ID3".utf8) + rest + body + (flags & 0x10 != 0 ? Array("3DI".utf8) + rest : [])
        description = "version 2.\(version), flags \(String(flags, radix: 16)), \(name)"
        isPlain = flags & 0xB0 == 0
    }

    private static func unsynchronise(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            result.append(byte)
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if byte == 0xFF, next == 0 || next >= 0xE0 { result.append(0) }
        }
        return result
    }
}
