/// The libavformat reports of one run, keyed by the start of their PES packets.
struct LibraryReports {
    struct Entry {
        var pts: UInt64?
        var data: [UInt8]
    }

    private var entries: [Int: Entry] = [:]

    /// Joins the pieces into which the library splits a long PES packet.
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

/// The payload of the PES packets of one PID, for comparison with the libavformat reports.
struct PayloadComparison {
    /// The number of payload bytes that libavformat 59 drops because it mistakes them for an access-unit header.
    static let droppedByteCount = 5

    struct Payload {
        let start: PacketReference
        var bytes: [UInt8]

        /// Returns whether the library's bytes match, apart from dropped leading bytes and trailing padding.
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

    /// Adds a fragment, and returns the previous payload if the fragment begins a new PES packet.
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
