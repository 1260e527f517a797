import TextForms

/// A time of a live channel that a report of its tags takes into account, as a monitor has seen it.
package struct ChannelPeriod: Sendable, Hashable {
    /// The state of the channel in that time; a number is never used again for another one.
    package enum State: UInt8, Sendable, Hashable, CaseIterable {
        /// The monitor checked the channel.
        case watched = 1
        /// An advertisement break, in which no tags are expected.
        case advertisement = 2
        /// The quiet hours of the channel.
        case quiet = 3
        /// The playlist could not be loaded.
        case unreachable = 4
        /// No tag arrived although tags were expected.
        case silent = 5
        /// The backup replaced the primary.
        case backup = 6

        /// The value of `state` in the record.
        package var name: String {
            switch self {
            case .watched: "watched"
            case .advertisement: "break"
            case .quiet: "quiet"
            case .unreachable: "unreachable"
            case .silent: "silent"
            case .backup: "backup"
            }
        }
    }

    /// The value of `kind` in the record.
    package static let kind = "period"
    /// The maximum length of a name or a reason, in characters.
    private static let longestText = 200

    /// The id of the channel.
    package let channel: String
    /// The id of the monitor's buffer, which tells two monitors of a channel apart.
    package let monitor: String
    /// The state of the channel.
    package let state: State
    /// The beginning and the end in Unix milliseconds.
    package let time: Range<Int64>
    /// The display name of the channel; nil if it is the id, and in records other than `watched`.
    package let name: String?
    /// The reason for an outage or the use of the backup; nil for other states.
    package let reason: String?

    /// Creates a period.
    package init(
        _ state: State, of channel: String, seenBy monitor: String, at time: Range<Int64>,
        name: String? = nil,
        reason: String? = nil
    ) {
        self.state = state
        self.channel = channel
        self.monitor = monitor
        self.time = time
        self.name = name.map { String($0.prefix(Self.longestText)) }
        self.reason = reason.map { String($0.prefix(Self.longestText)) }
    }
}

/// The encoding of a period as a stored body.
///
///     version   1 byte, 5: distinguishes it from the body of a tag and of a record of a player
///     state     1 byte: the number of the state
///     texts     channel, monitor; name and reason, empty if absent
///     time      beginning and end, each 8 bytes, big-endian
extension ChannelPeriod {
    static let bodyVersion: UInt8 = 5

    /// The encoded body.
    package var storedBody: [UInt8] {
        var bytes = CompactWriter()
        bytes.byte(Self.bodyVersion)
        bytes.byte(state.rawValue)
        for text in [channel, monitor, name ?? "", reason ?? ""] { bytes.text(text) }
        for end in [time.lowerBound, time.upperBound] { bytes.fixed(UInt64(bitPattern: end)) }
        return bytes.bytes
    }

    /// Decodes the rest of a stored body, after its version.
    init(_ bytes: Span<UInt8>, _ reader: inout CompactReader) throws(StoredBody.DecodingError) {
        let offset = reader.offset
        guard let state = State(rawValue: try reader.byte(bytes)) else { throw .invalid(offset: offset) }
        let channel = try reader.text(bytes)
        let monitor = try reader.text(bytes)
        let name = try reader.text(bytes)
        let reason = try reader.text(bytes)
        let start = Int64(bitPattern: try reader.fixed(bytes))
        let end = Int64(bitPattern: try reader.fixed(bytes))
        guard start <= end else { throw .invalid(offset: reader.offset - 16) }
        self.init(
            state, of: channel, seenBy: monitor, at: start..<end, name: name.isEmpty ? nil : name,
            reason: reason.isEmpty ? nil : reason)
    }
}

extension ChannelPeriod {
    /// Writes the members of the object that a collector receives.
    func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.write("id", id)
        writer.key("received")
        writer.value(time: received)
        writer.write("channel", channel)
        writer.write("kind", Self.kind)
        writer.write("state", state.name)
        writer.write("monitor", monitor)
        writer.key("started")
        writer.value(time: time.lowerBound)
        writer.key("ended")
        writer.value(time: time.upperBound)
        if let name { writer.write("name", name) }
        if let reason { writer.write("reason", reason) }
    }

    /// The cells of the record in a table of tags; columns that do not apply contain a dash.
    package var textCells: [String] {
        ["-", Self.kind, "-", "-", "-", "-", "-", PrintableText.of(channel), state.name, "-"]
    }
}
