import ByteReading

/// An encoded transport stream segment, with the positions that differ in each copy.
struct TransportStreamTemplate: SegmentTemplate {
    let fileExtension = TransportStreamWriter.fileExtension
    let initialization: [UInt8]? = nil

    private let bytes: [UInt8]
    /// The offsets of the packets with payload per PID, which advance the continuity counter.
    private let counted: [[Int]]
    /// The offsets of PES timestamps and of clock references, with their times in the segment.
    private let timestamps: [FieldOffset]
    private let clockReferences: [FieldOffset]
    /// The end of each audio PES packet and its time, which are the possible positions of tags.
    private let tagOffsets: [FieldOffset]

    private struct FieldOffset {
        let offset: Int
        /// The time in ticks from the segment's start, negative for an earlier clock reference.
        let time: Int64
    }

    private static let packetSize = MetadataPacketizer.packetSize

    /// Locates the variable positions in a segment that starts at time `start`, and pads it with null packets.
    init(_ segment: [UInt8], start: Int64, minimumByteCount: Int) throws(SynthesisError) {
        var bytes = segment
        var counted: [UInt16: [Int]] = [:]
        var timestamps: [FieldOffset] = []
        var clockReferences: [FieldOffset] = []
        var tagOffsets: [FieldOffset] = []
        /// The time of the current PES packet if it is audio.
        var soundTime: Int64?
        guard bytes.count.isMultiple(of: Self.packetSize) else {
            throw .unexpectedOutput(rule: "transport packets have 188 bytes")
        }
        for packet in stride(from: 0, to: bytes.count, by: Self.packetSize) {
            guard bytes[packet] == 0x47 else { throw .unexpectedOutput(rule: "a packet begins with 0x47") }
            let pid = UInt16(bytes[packet + 1] & 0x1F) << 8 | UInt16(bytes[packet + 2])
            let control = bytes[packet + 3] >> 4 & 3
            if control & 1 != 0 { counted[pid, default: []].append(packet) }
            let adaptationLength = control & 2 != 0 ? Int(bytes[packet + 4]) : -1
            if adaptationLength >= 7, bytes[packet + 5] & 0x10 != 0 {
                let base = Self.clockBase(bytes, at: packet + 6)
                clockReferences.append(FieldOffset(offset: packet + 6, time: base - start))
            }
            let payload = packet + 5 + adaptationLength
            guard bytes[packet + 1] & 0x40 != 0, control & 1 != 0, payload + 14 <= packet + Self.packetSize,
                bytes[payload] == 0, bytes[payload + 1] == 0, bytes[payload + 2] == 1
            else { continue }
            guard bytes[payload + 7] >> 6 == 2 else {
                throw .unexpectedOutput(rule: "a PES packet has a PTS and no DTS")
            }
            let time = Self.timestamp(bytes, at: payload + 9) - start
            timestamps.append(FieldOffset(offset: payload + 9, time: time))
            if let soundTime { tagOffsets.append(FieldOffset(offset: packet, time: soundTime)) }
            soundTime = pid == TransportStreamWriter.audioPID ? time : nil
        }
        if let soundTime { tagOffsets.append(FieldOffset(offset: bytes.count, time: soundTime)) }
        guard tagOffsets.first?.time == 0 else {
            throw .unexpectedOutput(rule: "a segment starts with its first audio frame")
        }
        let nullPacket: [UInt8] =
            [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: Self.packetSize - 4)
        while bytes.count + Self.packetSize <= minimumByteCount { bytes += nullPacket }
        self.bytes = bytes
        self.counted = Array(counted.values)
        self.timestamps = timestamps
        self.clockReferences = clockReferences
        self.tagOffsets = tagOffsets
    }

    var byteCount: Int { bytes.count }

    func segment(_ stamp: SegmentStamp, tags: [TagSchedule.Entry]) -> [UInt8] {
        var segment = bytes
        for packets in counted {
            let step = UInt8(truncatingIfNeeded: stamp.index &* Int64(packets.count)) & 0x0F
            if step == 0 { continue }
            for packet in packets {
                let field = segment[packet + 3]
                segment[packet + 3] = field & 0xF0 | (field &+ step) & 0x0F
            }
        }
        for place in timestamps {
            Self.write(stamp.time + place.time, to: &segment, timestampAt: place.offset)
        }
        for place in clockReferences {
            Self.write(stamp.time + place.time, to: &segment, clockBaseAt: place.offset)
        }
        var packetizer = MetadataPacketizer(
            pid: TransportStreamWriter.metadataPID,
            // Each tag takes two packets.
            counter: UInt8(truncatingIfNeeded: stamp.tagCount &* 2))
        var grown = 0
        for tag in tags {
            // The tag follows the last audio frame fed before it closed.
            guard let place = tagOffsets.last(where: { $0.time <= tag.time - stamp.time }) else { continue }
            let packets = packetizer.packets(for: tag)
            segment.insert(contentsOf: packets, at: grown + place.offset)
            grown += packets.count
        }
        return segment
    }

    /// Reads a timestamp: 33 bits in five bytes, with a marker bit after each part (ISO/IEC 13818-1, 2.4.3.6).
    private static func timestamp(_ bytes: [UInt8], at offset: Int) -> Int64 {
        let middle = Int64(bytes[offset + 1]) << 8 | Int64(bytes[offset + 2])
        let low = Int64(bytes[offset + 3]) << 8 | Int64(bytes[offset + 4])
        return Int64(bytes[offset] >> 1 & 7) << 30 | (middle >> 1) << 15 | low >> 1
    }

    private static func write(_ time: Int64, to bytes: inout [UInt8], timestampAt offset: Int) {
        let middle = time >> 14 & 0xFFFE | 1
        let low = time << 1 & 0xFFFE | 1
        bytes[offset] = bytes[offset] & 0xF0 | UInt8(truncatingIfNeeded: time >> 29 & 0x0E) | 1
        bytes[offset + 1] = UInt8(truncatingIfNeeded: middle >> 8)
        bytes[offset + 2] = UInt8(truncatingIfNeeded: middle)
        bytes[offset + 3] = UInt8(truncatingIfNeeded: low >> 8)
        bytes[offset + 4] = UInt8(truncatingIfNeeded: low)
    }

    /// Reads the 33-bit base of a clock reference (2.4.3.4).
    private static func clockBase(_ bytes: [UInt8], at offset: Int) -> Int64 {
        var base: Int64 = 0
        for index in 0..<4 { base = base << 8 | Int64(bytes[offset + index]) }
        return base << 1 | Int64(bytes[offset + 4] >> 7)
    }

    private static func write(_ time: Int64, to bytes: inout [UInt8], clockBaseAt offset: Int) {
        for index in 0..<4 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: time >> (25 - 8 * Int64(index)))
        }
        bytes[offset + 4] = bytes[offset + 4] & 0x7F | UInt8(truncatingIfNeeded: time << 7)
    }
}
