package import NielsenID3
import ID3v2

extension CheckID {
    /// `carriage.stream-type`.
    package static let streamType = CheckID("carriage.stream-type")
}

/// `carriage.stream-type`: timed ID3 is carried in a stream of type 0x15, in PES packets with stream_id 0xBD.
struct StreamType: SegmentCheck {
    static let declaration = CheckDeclaration(
        .streamType, worst: .fail,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The ID3 stream is of type 0x15 with PES stream_id 0xBD",
        title: "The ID3 stream has the wrong type or stream id",
        meaning: """
            Timed ID3 is an elementary stream of type 0x15 (metadata in PES packets) whose PES packets have the
            stream_id 0xBD (private_stream_1). A player that selects streams by type skips this one and does not report
            its tags.
            """,
        appearance: """
            The PMT declares a different type for the PID of the tags, often 0x06 (private data). Or the PES packets
            begin with `00 00 01` and a byte other than `bd`, such as `fc` (metadata stream) or `bf`.
            """,
        cause: """
            A multiplexer without support for timed ID3 treats the stream as private data: a generic "data PID" or "pass
            this PID through" setting keeps the packets but writes the type that it uses for all data. A stream_id of
            0xFC comes from tools that follow the general rule for metadata streams in MPEG-2 systems, not Apple's rule
            for HLS.
            """,
        action: """
            Set the PID in the output to timed metadata (ID3, type 0x15), not to private data. If the tool has no such
            setting, multiplex the stream with one that does.
            """)

    /// Metadata carried in PES packets (ISO/IEC 13818-1, table 2-34).
    private static let streamType: UInt8 = 0x15
    /// private_stream_1 (ISO/IEC 13818-1, table 2-22).
    private static let streamID: UInt8 = 0xBD

    private var reported = ReportedDeclarations()

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        guard content.isTransportStream else { return }
        for program in content.facts.programs where !program.streams.isEmpty {
            ledger.markRun(Self.id)
            guard reported.isNews(program) else { continue }
            for stream in program.streams where stream.streamType != Self.streamType {
                ledger.report(
                    Self.id, .fail, at: content.place,
                    "the PMT declares PID \(stream.pid) with stream type \(Self.hex(stream.streamType)): "
                        + "timed ID3 has \(Self.hex(Self.streamType))")
            }
        }
        for tag in content.tags {
            guard case .transportStream(let pid) = tag.occurrence.carriage,
                let streamID = tag.occurrence.transport?.streamID
            else { continue }
            ledger.markRun(Self.id)
            guard streamID != Self.streamID else { continue }
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packet on PID \(pid) has stream_id \(Self.hex(streamID)): timed ID3 has "
                    + Self.hex(Self.streamID))
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.count < 2 ? "0" : "") + digits
    }
}
