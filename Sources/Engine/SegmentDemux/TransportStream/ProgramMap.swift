import ByteReading
internal import ID3v2

/// The assignment of PIDs to programs and streams, from the PAT and PMTs (ISO/IEC 13818-1, 2.4.4).
///
/// It is a value, so that a segment can be filtered with the map of the previous segments.
struct ProgramMap: Sendable, Hashable {
    /// The programs, in PAT order.
    var programs: [Entry] = []

    /// The transport packets of the PAT, unchanged.
    var patPackets: [UInt8] = []

    /// The checksums of the PAT's sections, ordered by section number.
    var patChecksums: [UInt32] = []

    /// A program of the PAT.
    struct Entry: Sendable, Hashable {
        let number: UInt16
        let pmtPID: UInt16
        /// The contents of the PMT, or nil until it arrives.
        var pmt: ProgramMapTable?
    }

    init() {}

    /// Whether the map has a PAT and the PMT of each program in it.
    var isComplete: Bool { !programs.isEmpty && programs.allSatisfy { $0.pmt != nil } }

    /// All table packets, PAT first; libavformat can rebuild this map by reading them.
    var packets: [UInt8] {
        programs.reduce(into: patPackets) { all, program in
            all += program.pmt?.packets ?? []
        }
    }

    /// The facts about the programs that carry or declare timed ID3.
    var timedProgramFacts: [CarriageFacts.Program] {
        programs.compactMap { program in
            guard let pmt = program.pmt else { return nil }
            let streams = pmt.streams.filter { $0.role == .metadata }.map {
                CarriageFacts.MetadataStream(
                    pid: $0.pid, streamType: $0.streamType, hasMetadataDescriptor: $0.hasMetadataDescriptor)
            }
            guard !streams.isEmpty || pmt.hasMetadataPointer else { return nil }
            return CarriageFacts.Program(
                number: program.number, pmtPID: program.pmtPID,
                hasMetadataPointer: pmt.hasMetadataPointer, streams: streams)
        }
    }
}

/// The contents of one PMT (ISO/IEC 13818-1, 2.4.4.8).
struct ProgramMapTable: Sendable, Hashable {
    /// Whether the program loop has a metadata_pointer_descriptor with the identifier `ID3 `.
    let hasMetadataPointer: Bool
    let streams: [ElementaryStream]
    /// The CRC of the section, which distinguishes versions better than their five-bit number.
    let checksum: UInt32
    /// The transport packets that contained the section.
    let packets: [UInt8]

    var hasAudio: Bool { streams.contains { $0.role == .audio } }

    /// The number of streams that are declared as timed ID3.
    var metadataStreamCount: Int { streams.count { $0.role == .metadata } }

    /// Reads a section with a valid CRC, or returns nil if its lengths are inconsistent.
    init?(section: Span<UInt8>, packets: [UInt8]) {
        let end = section.count - 4
        guard end >= 12 else { return nil }
        let programLength = Int(section.bigEndianUInt16(at: 10) & 0x0FFF)
        guard programLength <= end - 12 else { return nil }
        let programLoop = DescriptorLoop(section.extracting(12..<12 + programLength))
        var streams: [ElementaryStream] = []
        var position = 12 + programLength
        while end - position >= 5 {
            let length = Int(section.bigEndianUInt16(at: position + 3) & 0x0FFF)
            guard length <= end - position - 5 else { return nil }
            streams.append(
                ElementaryStream(
                    pid: section.bigEndianUInt16(at: position + 1) & 0x1FFF,
                    streamType: section[position],
                    descriptors: DescriptorLoop(section.extracting(position + 5..<position + 5 + length))))
            position += 5 + length
        }
        hasMetadataPointer = programLoop.namesTimedID3(tag: DescriptorLoop.metadataPointerTag)
        self.streams = streams
        checksum = section.bigEndianUInt32(at: end)
        self.packets = packets
    }
}
