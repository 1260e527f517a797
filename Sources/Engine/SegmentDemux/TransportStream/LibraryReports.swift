/// libavformat's reports of one run, by where their PES packets begin.
struct LibraryReports {
    struct Entry {
        var pts: UInt64?
        var data: [UInt8]
    }

    private var entries: [Int: Entry] = [:]

    /// Joins the pieces that the library makes of one long PES packet.
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

/// The payload of the PES packets of one PID, to compare with what libavformat reports.
struct PayloadComparison {
    /// How many bytes of a PES packet's payload libavformat 59 takes for an access-unit header and drops.
    static let droppedByteCount = 5

    struct Payload {
        let start: PacketReference
        var bytes: [UInt8]

        /// Whether the library's bytes are these, except for those that it dropped and for padding after them.
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

    /// Adds a fragment; where another PES packet begins with it, returns the payload of the one before.
    mutating func add(_ fragment: PESFragment) -> Payload? {
        if fragment.beginsPacket {
            let ended = open
            open = Payload(start: fragment.start, bytes: fragment.bytes)
            return ended
        }
        if open?.start == fragment.start { open?.bytes += fragment.bytes }
        return nil
    }

    /// Returns the last payload.
    mutating func finish() -> Payload? { open.take() }
}
