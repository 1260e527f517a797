/// libavformat's reports of one run, by where their PES packets begin.
struct LibraryReports {
    struct Entry {
        var pts: UInt64?
        var data: [UInt8]
    }

    private var entries: [Int: Entry] = [:]

    /// Joins the pieces that the library made of one long PES packet.
    init(_ reports: [LibAVTransportDemuxer.Report]) {
        for report in reports {
            if entries[report.position] == nil {
                entries[report.position] = Entry(pts: report.pts, data: report.data)
            } else {
                entries[report.position]?.data += report.data
            }
        }
    }

    subscript(position: Int) -> Entry? { entries[position] }
}

/// The payload of the PES packets of one PID, to hold against what libavformat reports.
struct PayloadComparison {
    /// How many bytes of a PES packet's payload libavformat 59 takes for an access-unit header and drops.
    static let droppedByteCount = 5

    struct Payload {
        let start: PacketReference
        var bytes: [UInt8]

        /// Whether the library's bytes are these, but for those that it dropped and for padding behind.
        func agrees(with data: [UInt8]) -> Bool {
            [0, PayloadComparison.droppedByteCount].contains { dropped in
                guard dropped <= bytes.count else { return data.isEmpty }
                let rest = bytes[dropped...]
                return data.count <= rest.count ? rest.starts(with: data) : data.starts(with: rest)
            }
        }
    }

    private var open: Payload?

    init() {}

    /// Takes a part, and gives the payload before it where another PES packet begins.
    mutating func add(_ part: PESPart) -> Payload? {
        if part.beginsPacket {
            let ended = open
            open = Payload(start: part.start, bytes: part.bytes)
            return ended
        }
        if open?.start == part.start { open?.bytes += part.bytes }
        return nil
    }

    /// Gives the last payload.
    mutating func finish() -> Payload? { open.take() }
}
