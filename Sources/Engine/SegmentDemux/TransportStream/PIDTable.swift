internal import ID3v2

/// The meaning of each PID according to the PAT and PMTs.
struct PIDTable: Sendable {
    /// The content of the packets of one PID.
    enum Entry {
        /// A PAT or PMT.
        case tables
        case stream(Stream)
        /// A PID that no PMT lists.
        case unknown
    }

    /// An elementary stream.
    struct Stream: Sendable {
        let pid: UInt16
        let role: ElementaryStream.Role
        /// The index of its program, in the order in which the programs were first seen.
        let program: Int
    }

    /// The streams, in PMT order.
    private(set) var streams: [Stream] = []

    /// For each PID `unknown`, `tables`, or the index of its stream in `streams`.
    private var indices = [UInt16](repeating: Self.unknown, count: TransportPacket.pidCount)
    private static let unknown = UInt16.max
    private static let tables = UInt16.max - 1

    /// Creates a table that contains only the PID of the PAT.
    init() { addTables(0) }

    subscript(pid: UInt16) -> Entry {
        switch indices[Int(pid & 0x1FFF)] {
        case Self.unknown: .unknown
        case Self.tables: .tables
        case let index: .stream(streams[Int(index)])
        }
    }

    /// Returns whether the PID has no entry.
    func isFree(_ pid: UInt16) -> Bool { indices[Int(pid & 0x1FFF)] == Self.unknown }

    /// Adds the PID of a PMT.
    mutating func addTables(_ pid: UInt16) { indices[Int(pid & 0x1FFF)] = Self.tables }

    /// Adds a stream on a free PID, so that there are never more streams than PIDs.
    mutating func add(_ stream: Stream) {
        indices[Int(stream.pid & 0x1FFF)] = UInt16(streams.count)
        streams.append(stream)
    }

    /// Removes all entries except the PAT.
    mutating func removeAll() {
        streams.removeAll(keepingCapacity: true)
        for index in indices.indices { indices[index] = Self.unknown }
        addTables(0)
    }
}
