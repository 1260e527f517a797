import HostSystem
import NielsenID3
import TextForms

/// The acknowledgments of alerts, and the mutes, each with a name and an end.
///
/// A muted alert is on the pages and in the metrics, and goes to no output. It is sent if it is open when the mute
/// ends. The clear of an alert that was sent before is sent too.
struct AlertHandling: Sendable, Hashable, Codable {
    /// The acknowledgments of open alerts, by the id of the alert.
    private(set) var acknowledgments: [String: Attribution] = [:]
    /// The mutes, oldest first.
    private(set) var mutes: [Mute] = []
    /// The ids of the open alerts that were raised while they were muted.
    private(set) var withheld: Set<String> = []
    /// The number of the last mute.
    private var lastNumber = 0

    /// The maximum numbers of acknowledgments and of mutes.
    private static let maximumCount = 1_000

    /// The person who acknowledged or muted, with the time and the end.
    struct Attribution: Sendable, Hashable, Codable {
        /// The name that the person gave.
        let by: String
        /// The times of the change and of its end, in Unix milliseconds.
        let at: Int64
        let until: Int64
    }

    /// The alerts of a channel or of the monitor that are not sent.
    struct Mute: Sendable, Hashable, Codable {
        /// A number that no other mute has.
        let id: Int
        /// The id of the channel; nil for the monitor itself.
        let channel: String?
        /// The check; nil for all.
        let check: String?
        let attribution: Attribution

        private enum CodingKeys: String, CodingKey {
            case id, channel, check
            // The key of earlier files.
            case attribution = "word"
        }

        func covers(_ alert: Alert) -> Bool {
            let isInScope = channel.map { $0 == alert.channel } ?? (alert.scope == .monitor)
            return isInScope && (check ?? alert.check.rawValue) == alert.check.rawValue
        }
    }

    var isEmpty: Bool { acknowledgments.isEmpty && mutes.isEmpty && withheld.isEmpty }

    /// Returns the mute that covers an alert and ends last; nil if there is none.
    func mute(of alert: Alert) -> Mute? {
        mutes.filter { $0.covers(alert) }.max { $0.attribution.until < $1.attribution.until }
    }

    /// Returns whether a change passes; a raise that is muted does not, and neither does its clear.
    mutating func passes(_ change: AlertChange, at now: Int64) -> Bool {
        removeExpired(at: now)
        switch change {
        case .raised(let alert):
            guard mute(of: alert) != nil else { return true }
            withheld.insert(alert.id)
            return false
        case .cleared(let alert):
            acknowledgments[alert.id] = nil
            return withheld.remove(alert.id) == nil
        }
    }

    /// Removes what has ended, and returns whether withheld alerts may be released.
    mutating func advance(to now: Int64) -> Bool {
        removeExpired(at: now)
        return !withheld.isEmpty
    }

    /// Returns the withheld alerts that no mute covers any more, which then count as sent.
    mutating func release(_ open: [Alert]) -> [Alert] {
        let released = open.filter { withheld.contains($0.id) && mute(of: $0) == nil }
        withheld = withheld.intersection(open.map(\.id)).subtracting(released.map(\.id))
        return released
    }

    /// Forgets the acknowledgments of alerts that are not open.
    mutating func keepAcknowledgments(of open: Set<String>) {
        acknowledgments = acknowledgments.filter { open.contains($0.key) }
    }

    private mutating func removeExpired(at now: Int64) {
        if mutes.contains(where: { $0.attribution.until <= now }) {
            mutes.removeAll { $0.attribution.until <= now }
        }
        if acknowledgments.contains(where: { $0.value.until <= now }) {
            acknowledgments = acknowledgments.filter { $0.value.until > now }
        }
    }

    /// Takes over the acknowledgments and mutes of others; the withheld alerts follow from the alerts.
    mutating func adopt(_ other: AlertHandling) {
        (acknowledgments, mutes, lastNumber) = (other.acknowledgments, other.mutes, other.lastNumber)
    }

    // MARK: Changes by people

    /// Sets the acknowledgment of an alert; an earlier one is replaced.
    mutating func acknowledge(_ id: String, _ attribution: Attribution) throws(ChannelChangeError) {
        guard acknowledgments[id] != nil || acknowledgments.count < Self.maximumCount else {
            throw .invalid("there are already \(Self.maximumCount) acknowledgments")
        }
        acknowledgments[id] = attribution
    }

    /// Mutes the alerts of a channel, or of the monitor if it is nil, and returns the mute.
    mutating func mute(
        channel: String?, check: String?, _ attribution: Attribution
    ) throws(ChannelChangeError) -> Mute {
        guard mutes.count < Self.maximumCount else {
            throw .invalid("there are already \(Self.maximumCount) mutes")
        }
        lastNumber += 1
        let mute = Mute(id: lastNumber, channel: channel, check: check, attribution: attribution)
        mutes.append(mute)
        return mute
    }

    /// Ends a mute; returns false if there is none with this number.
    mutating func unmute(_ id: Int) -> Bool {
        let count = mutes.count
        mutes.removeAll { $0.id == id }
        return mutes.count < count
    }
}

/// A request of a person about alerts, in the form of its JSON body.
struct AlertHandlingRequest: Sendable, Codable {
    /// The id of the alert to acknowledge.
    var alert: String?
    /// The channel to mute, or whether the monitor itself is meant, and the check; nil for all checks.
    var channel: String?
    var monitor: Bool?
    var check: String?
    /// The name of the person, and the duration, such as `2h`.
    var by: String?
    var `for`: String?

    /// Decodes the body of a request.
    init(json: [UInt8]) throws(ChannelChangeError) {
        do throws(AtomicJSONFile<Self>.Problem) {
            self = try AtomicJSONFile<Self>.value(of: json)
        } catch {
            throw .invalid("the body is not an object with the keys of this request: \(error.reason)")
        }
    }

    /// The maximum length of a name, in characters.
    private static let maximumNameLength = 64
    /// The shortest and the longest duration, in seconds.
    private static let durations = 60.0...2_592_000

    /// Returns who said it, and until when, at a time in Unix milliseconds.
    func attribution(at now: Int64) throws(ChannelChangeError) -> AlertHandling.Attribution {
        let name = PrintableText.of(String((by ?? "")[...].trimmed))
        guard !name.isEmpty, name.unicodeScalars.count <= Self.maximumNameLength else {
            throw .invalid("by: a name of 1 to \(Self.maximumNameLength) characters is required")
        }
        guard let seconds = self.for.flatMap(DurationText.seconds), Self.durations.contains(seconds) else {
            throw .invalid("for: a duration from 1m to 30d is required")
        }
        return AlertHandling.Attribution(by: name, at: now, until: now + Int64(seconds * 1_000))
    }
}

extension AlertHandling {
    /// The object with all mutes.
    var mutesJSON: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("mutes")
        writer.beginArray()
        for mute in mutes { mute.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Writes the members of an alert's object that state who acknowledged it, and that it is muted.
    func writeMembers(of alert: Alert, to writer: inout JSONWriter) {
        if let attribution = acknowledgments[alert.id] {
            writer.key("acknowledged")
            attribution.write(to: &writer)
        }
        if let mute = mute(of: alert) {
            writer.key("muted")
            mute.write(to: &writer)
        }
    }
}

extension AlertHandling.Attribution {
    /// Writes the members of an object.
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.write("by", by)
        writer.key("at")
        writer.value(time: at)
        writer.key("until")
        writer.value(time: until)
    }

    /// Writes an object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }
}

extension AlertHandling.Mute {
    /// Writes an object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("id", id)
        writer.write("channel", channel)
        writer.write("check", check)
        attribution.writeMembers(to: &writer)
        writer.endObject()
    }
}
