/// What the program map says about each PID, to be asked for every packet that interests.
struct PIDTable: Sendable {
    /// What the packets of one PID are.
    enum Destination {
        /// A PAT or PMT.
        case tables
        case stream(Stream)
        /// No map names the PID.
        case none
    }

    /// An elementary stream.
    struct Stream: Sendable {
        let pid: UInt16
        let role: ElementaryStream.Role
        /// Where its programme stands among those that the map defined.
        let program: Int
    }

    /// The streams, in the order of the map.
    private(set) var streams: [Stream] = []

    /// For each PID `nowhere`, `tables`, or else the place of its stream in `streams`.
    private var places = [UInt16](repeating: Self.nowhere, count: TransportPacket.pidCount)
    private static let nowhere = UInt16.max
    private static let tables = UInt16.max - 1

    /// A table of which only the PAT is known.
    init() { addTables(0) }

    subscript(pid: UInt16) -> Destination {
        switch places[Int(pid & 0x1FFF)] {
        case Self.nowhere: .none
        case Self.tables: .tables
        case let place: .stream(streams[Int(place)])
        }
    }

    /// Whether nothing is known of a PID.
    func isFree(_ pid: UInt16) -> Bool { places[Int(pid & 0x1FFF)] == Self.nowhere }

    /// Makes a PID one of tables.
    mutating func addTables(_ pid: UInt16) { places[Int(pid & 0x1FFF)] = Self.tables }

    /// Adds a stream whose PID is free: so there are never more than there are PIDs.
    mutating func add(_ stream: Stream) {
        places[Int(stream.pid & 0x1FFF)] = UInt16(streams.count)
        streams.append(stream)
    }

    /// Forgets all but the PAT.
    mutating func removeAll() {
        streams.removeAll(keepingCapacity: true)
        for index in places.indices { places[index] = Self.nowhere }
        addTables(0)
    }
}
