import NielsenID3
import TimedMedia

/// `carriage.stream-type`: timed ID3 lies in a stream of type 0x15, in PES packets with stream_id 0xBD.
struct StreamTypeCheck: SegmentCheck {
    static let id = CheckID.streamType
    static let absence = "No transport stream with timed ID3 was read."

    /// Metadata carried in PES packets (ISO/IEC 13818-1, table 2-34).
    private static let streamType: UInt8 = 0x15
    /// private_stream_1 (ISO/IEC 13818-1, table 2-22).
    private static let streamID: UInt8 = 0xBD

    private var reported = ReportedDeclarations()

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        for program in reading.facts.programs where !program.streams.isEmpty {
            ledger.look(Self.id)
            guard reported.isNews(program) else { continue }
            for stream in program.streams where stream.streamType != Self.streamType {
                ledger.report(
                    Self.id, .fail, at: reading.place,
                    "the PMT declares PID \(stream.pid) with stream type \(Self.hex(stream.streamType)): "
                        + "timed ID3 has \(Self.hex(Self.streamType))")
            }
        }
        for tag in reading.tags {
            guard case .transportStream(let pid) = tag.observed.carriage,
                let streamID = tag.observed.transport?.streamID
            else { continue }
            ledger.look(Self.id)
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
