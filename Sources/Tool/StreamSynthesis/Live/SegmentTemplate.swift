import ByteReading
import ISOBMFF

/// A segment that is encoded once and copied for every segment of every channel, with individual timestamps and tags.
struct SegmentTemplate: Sendable {
    /// The initialization segment, or nil if the container has none.
    let initialization: [UInt8]?
    private let container: SynthesisSettings.Container
    private var bytes: [UInt8]
    private var fields: [Field] = []
    /// The possible positions of tags, each with its time from the segment's start: the last one by the tag's time is
    /// used.
    private var tagPlaces: [(offset: Int, time: Int64)] = []

    /// A field that differs in each copy, with its offset; times are in ticks from the segment's start.
    private enum Field {
        /// A continuity counter. The segment has `count` of them on the same PID.
        case counter(Int, count: Int)
        /// A PES timestamp.
        case timestamp(Int, time: Int64)
        /// A clock reference, whose time may precede the segment.
        case clockReference(Int, time: Int64)
        /// A fragment number of four bytes.
        case fragmentNumber(Int)
        /// A decode time of eight bytes, with the fraction that converts ticks to its timescale.
        case decodeTime(Int, numerator: Int64, denominator: Int64)
    }

    /// Encodes the template of a rendition.
    ///
    /// - Parameters:
    ///   - segmentTicks: The duration of the segment, of whole pictures and audio frames.
    ///   - minimumByteCount: The length to which the segment is padded.
    init(
        _ rendition: SynthesisSettings.Rendition, segmentTicks: Int64, minimumByteCount: Int
    ) throws(SynthesisError) {
        // The start of these settings leaves room for a clock reference before the first picture.
        let settings = SynthesisSettings()
        var coder = try SegmentCoder(rendition, of: settings, repeats: false)
        var noTags: ArraySlice<ScheduledTag> = []
        bytes = try coder.segment(0..<segmentTicks, tags: &noTags)
        initialization = coder.initialization
        container = rendition.container
        if container == .transportStream {
            try locatePackets(start: Int64(settings.startPTS))
            let nullPacket: [UInt8] =
                [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: Self.packetSize - 4)
            while bytes.count + Self.packetSize <= minimumByteCount { bytes += nullPacket }
        } else {
            try locateBoxes(hasPictures: rendition.video != nil)
            let missing = minimumByteCount - bytes.count
            if missing >= 8 {
                bytes += UInt32(missing).bigEndianBytes + Array("free".utf8)
                bytes += [UInt8](repeating: 0, count: missing - 8)
            }
        }
    }

    /// The length of a segment without tags, in bytes.
    var byteCount: Int { bytes.count }

    /// Returns a segment with its timestamps and tags.
    ///
    /// - Parameters:
    ///   - index: The number of earlier segments in the channel.
    ///   - start: The time of its first picture and audio frame in ticks, not wrapped.
    ///   - tags: The tags in time order.
    ///   - tagCount: The number of earlier tags in the channel.
    func segment(_ index: Int64, at start: Int64, tags: [ScheduledTag], tagCount: Int) -> [UInt8] {
        var segment = bytes
        for field in fields {
            switch field {
            case .counter(let offset, let count):
                let value = segment[offset] &+ UInt8(truncatingIfNeeded: index &* Int64(count))
                segment[offset] = segment[offset] & 0xF0 | value & 0x0F
            case .timestamp(let offset, let time):
                MetadataPacketizer.write(start + time, to: &segment, timestampAt: offset)
            case .clockReference(let offset, let time):
                Self.write(start + time, to: &segment, clockBaseAt: offset)
            case .fragmentNumber(let offset):
                Self.write(UInt64(truncatingIfNeeded: index + 1), byteCount: 4, to: &segment, at: offset)
            case .decodeTime(let offset, let numerator, let denominator):
                Self.write(
                    UInt64(start * numerator / denominator), byteCount: 8, to: &segment, at: offset)
            }
        }
        // Each tag takes two packets.
        var packetizer = MetadataPacketizer(counter: UInt8(truncatingIfNeeded: tagCount &* 2))
        var grown = 0
        for (number, tag) in tags.enumerated() {
            // The tag follows the last audio frame fed before it closed.
            guard let place = tagPlaces.last(where: { $0.time <= tag.time - start }) else { continue }
            let carried =
                container == .transportStream
                ? packetizer.packets(for: tag)
                : FragmentedMP4Writer.message(
                    tag, scheme: .aomedia, id: UInt32(truncatingIfNeeded: tagCount + number),
                    segmentTime: start)
            segment.insert(contentsOf: carried, at: grown + place.offset)
            grown += carried.count
        }
        return segment
    }

    // MARK: Transport stream

    private static let packetSize = MetadataPacketizer.packetSize

    /// Locates the fields of a transport stream that starts at time `start`, and the end of each audio PES packet.
    private mutating func locatePackets(start: Int64) throws(SynthesisError) {
        var counters: [UInt16: [Int]] = [:]
        /// The time of the current PES packet if it is audio.
        var soundTime: Int64?
        for packet in stride(from: 0, to: bytes.count, by: Self.packetSize) {
            let pid = UInt16(bytes[packet + 1] & 0x1F) << 8 | UInt16(bytes[packet + 2])
            let control = bytes[packet + 3] >> 4 & 3
            if control & 1 != 0 { counters[pid, default: []].append(packet + 3) }
            let adaptationLength = control & 2 != 0 ? Int(bytes[packet + 4]) : -1
            if adaptationLength >= 7, bytes[packet + 5] & 0x10 != 0 {
                let base = Self.clockBase(bytes, at: packet + 6)
                fields.append(.clockReference(packet + 6, time: base - start))
            }
            let payload = packet + 5 + adaptationLength
            guard bytes[packet + 1] & 0x40 != 0, control & 1 != 0, payload + 14 <= packet + Self.packetSize,
                bytes[payload] == 0, bytes[payload + 1] == 0, bytes[payload + 2] == 1
            else { continue }
            guard bytes[payload + 7] >> 6 == 2 else {
                throw .unexpectedOutput(rule: "a PES packet has a PTS and no DTS")
            }
            let time = Self.timestamp(bytes, at: payload + 9) - start
            fields.append(.timestamp(payload + 9, time: time))
            if let soundTime { tagPlaces.append((packet, soundTime)) }
            soundTime = pid == TransportStreamWriter.audioPID ? time : nil
        }
        if let soundTime { tagPlaces.append((bytes.count, soundTime)) }
        guard tagPlaces.first?.time == 0 else {
            throw .unexpectedOutput(rule: "a segment starts with its first audio frame")
        }
        for offsets in counters.values {
            fields += offsets.map { .counter($0, count: offsets.count) }
        }
    }

    /// Reads a timestamp, as `MetadataPacketizer` writes it.
    private static func timestamp(_ bytes: [UInt8], at offset: Int) -> Int64 {
        let middle = Int64(bytes[offset + 1]) << 8 | Int64(bytes[offset + 2])
        let low = Int64(bytes[offset + 3]) << 8 | Int64(bytes[offset + 4])
        return Int64(bytes[offset] >> 1 & 7) << 30 | (middle >> 1) << 15 | low >> 1
    }

    /// Reads the 33-bit base of a clock reference (ISO/IEC 13818-1, 2.4.3.4).
    private static func clockBase(_ bytes: [UInt8], at offset: Int) -> Int64 {
        var base: Int64 = 0
        for index in 0..<4 { base = base << 8 | Int64(bytes[offset + index]) }
        return base << 1 | Int64(bytes[offset + 4] >> 7)
    }

    private static func write(_ time: Int64, to bytes: inout [UInt8], clockBaseAt offset: Int) {
        write(UInt64(truncatingIfNeeded: time >> 1), byteCount: 4, to: &bytes, at: offset)
        bytes[offset + 4] = bytes[offset + 4] & 0x7F | UInt8(truncatingIfNeeded: time << 7)
    }

    // MARK: Fragmented MP4

    private static let fragmentHeader = BoxType("mfhd")

    /// Locates the fields of a fragment.
    private mutating func locateBoxes(hasPictures: Bool) throws(SynthesisError) {
        var numbers: [Int] = []
        var times: [Int] = []
        var walker = BoxWalker()
        var position = 0
        do throws(ISOBMFFError) {
            while let step = try walker.next(in: bytes.span, at: &position) {
                guard case .box(let box) = step else { continue }
                // Skips the version and the flags.
                let content = Int(box.payloadOffset) + 4
                switch box.header.type {
                case .movieFragment, .trackFragment: try walker.descend()
                case Self.fragmentHeader: numbers.append(content)
                case .trackFragmentDecodeTime where bytes[content - 4] == 1: times.append(content)
                default: break
                }
            }
        } catch {
            throw .unexpectedOutput(rule: "a fragment is a tree of boxes")
        }
        guard numbers.count == 1, times.count == (hasPictures ? 2 : 1) else {
            throw .unexpectedOutput(
                rule: "a segment has one fragment, and a decode time of 64 bits for each track")
        }
        fields.append(.fragmentNumber(numbers[0]))
        for (track, offset) in times.enumerated() {
            // The video track comes first, in 90 kHz; the audio timescale is the sample rate.
            let isVideo = hasPictures && track == 0
            fields.append(.decodeTime(offset, numerator: isVideo ? 1 : 8, denominator: isVideo ? 1 : 15))
        }
        tagPlaces = [(FragmentedMP4Writer.segmentType.count, .min)]
    }

    private static func write(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<byteCount {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byteCount - 1 - index)))
        }
    }
}
