internal import TimedMedia

/// What PAT and PMTs say about each PID.
struct PIDTable: Sendable {
    /// What the packets of one PID carry.
    enum Entry {
        /// A PAT or PMT.
        case tables
        case stream(Stream)
        /// Nothing that a PMT names.
        case unknown
    }

    /// An elementary stream.
    struct Stream: Sendable {
        let pid: UInt16
        let role: ElementaryStream.Role
        /// The index of its program, in the order in which the programs were first seen.
        let program: Int
    }

    /// The streams, in the order of the PMTs.
    private(set) var streams: [Stream] = []

    /// For each PID `unknown`, `tables`, or the index of its stream in `streams`.
    private var indices = [UInt16](repeating: Self.unknown, count: TransportPacket.pidCount)
    private static let unknown = UInt16.max
    private static let tables = UInt16.max - 1

    /// A table in which only the PID of the PAT is known.
    init() { addTables(0) }

    subscript(pid: UInt16) -> Entry {
        switch indices[Int(pid & 0x1FFF)] {
        case Self.unknown: .unknown
        case Self.tables: .tables
        case let index: .stream(streams[Int(index)])
        }
    }

    /// Whether nothing is known of a PID.
    func isFree(_ pid: UInt16) -> Bool { indices[Int(pid & 0x1FFF)] == Self.unknown }

    /// Adds the PID of a PMT.
    mutating func addTables(_ pid: UInt16) { indices[Int(pid & 0x1FFF)] = Self.tables }

    /// Adds a stream whose PID is free: so there are never more than there are PIDs.
    mutating func add(_ stream: Stream) {
        indices[Int(stream.pid & 0x1FFF)] = UInt16(streams.count)
        streams.append(stream)
    }

    /// Removes all but the PAT.
    mutating func removeAll() {
        streams.removeAll(keepingCapacity: true)
        for index in indices.indices { indices[index] = Self.unknown }
        addTables(0)
    }
}
