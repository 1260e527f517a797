import ByteReading
import FoundationEssentials
import HostSystem
import TagRecord
import TagStore

/// The form of the schedule in the buffer: JSON, for one sink.
extension DeliverySchedule {
    /// The limit of the buffer on a delivery state.
    static let maximumByteCount = 1_536
    static let maximumReasonByteCount = 500

    /// The JSON object.
    struct Record: Codable {
        /// The mark of the sink: the first bytes of the SHA-256 of its identity, in hexadecimal digits.
        var sink: String
        var state: String
        var until: Int64?
        var reason: String?
        var encoding: String
        var plannedWaitMilliseconds: Int64
        var failures: Int
        var limit: Int
        var suspects: Int
        var unanswered: Int
        var lastSuccess: Int64?
        var refusals: Int
        /// When the wait started; nil if there is none.
        var waiting: ClockReading?
        /// When the sink was last doubted; nil if it is not.
        var doubted: ClockReading?
        /// The kinds of records that the last receipt asked for; nil if there were none.
        var kinds: [String]?
    }

    /// Returns the schedule as JSON.
    package func encoded(for identity: String) -> [UInt8] {
        var record = Record(
            sink: Self.mark(of: identity), state: "ready", encoding: encoding.name,
            plannedWaitMilliseconds: plannedWait.milliseconds, failures: failureCount, limit: limit,
            suspects: suspectCount, unanswered: unansweredCount, lastSuccess: lastSuccess,
            refusals: refusalCount, waiting: waitStart, doubted: doubtStart,
            kinds: wantsPeriods ? [ChannelPeriod.kind] : nil)
        switch state {
        case .ready: break
        case .backingOff(let until, let reason): record.wait("backing-off", until, reason)
        case .holding(let until, let reason): record.wait("holding", until, reason)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            var bytes = try encoder.encode(record)
            // A reason with many escaped characters can exceed the limit. It is only informative, so drop it.
            if bytes.count > Self.maximumByteCount {
                record.reason = ""
                bytes = try encoder.encode(record)
            }
            return [UInt8](bytes)
        } catch {
            // Encoding numbers and strings cannot fail. If it did, only a wait would be lost.
            return []
        }
    }

    /// Restores the schedule that was encoded for this sink.
    ///
    /// Starts with a new schedule if the bytes are damaged or belong to another sink. Only a wait and the learned
    /// limits are lost then.
    package init(_ bytes: [UInt8], for identity: String) {
        guard let read = Self.read(bytes), read.sink == Self.mark(of: identity) else {
            self.init()
            return
        }
        self = read.schedule
    }

    /// Restores the schedule that was encoded for any sink, for display only; nil if the bytes are damaged.
    package init?(forAnySink bytes: [UInt8]) {
        guard let read = Self.read(bytes) else { return nil }
        self = read.schedule
    }

    private static func read(_ bytes: [UInt8]) -> (sink: String, schedule: DeliverySchedule)? {
        do {
            let record = try JSONDecoder().decode(Record.self, from: Data(bytes))
            return DeliverySchedule(record).map { (record.sink, $0) }
        } catch {
            return nil
        }
    }

    /// Restores the schedule of a record; nil if a value is invalid.
    private init?(_ record: Record) {
        self.init()
        let longestWait = Self.maximumRetryAfter.milliseconds
        guard let encoding = ContentEncoding.allCases.first(where: { $0.name == record.encoding }),
            (0...longestWait).contains(record.plannedWaitMilliseconds),
            (0...1_000_000_000).contains(record.failures), (1...Self.maximumCount).contains(record.limit),
            (0...Self.maximumCount).contains(record.suspects),
            (0...Self.maximumCount).contains(record.unanswered),
            (0...1_000_000_000).contains(record.refusals),
            [record.waiting, record.doubted].allSatisfy({ $0?.bootID.utf8.count ?? 0 <= 64 })
        else { return nil }
        let reason = String(
            decoding: (record.reason ?? "").utf8.prefix(Self.maximumReasonByteCount), as: UTF8.self)
        switch (record.state, record.until) {
        case ("ready", _): state = .ready
        case ("backing-off", let until?): state = .backingOff(until: until, reason: reason)
        case ("holding", let until?): state = .holding(until: until, reason: reason)
        default: return nil
        }
        self.encoding = encoding
        plannedWait = .milliseconds(record.plannedWaitMilliseconds)
        failureCount = record.failures
        limit = record.limit
        suspectCount = record.suspects
        unansweredCount = record.unanswered
        lastSuccess = record.lastSuccess
        refusalCount = record.refusals
        waitStart = record.waiting
        doubtStart = record.doubted
        wantsPeriods = record.kinds?.contains(ChannelPeriod.kind) ?? false
    }

    private static func mark(of identity: String) -> String {
        Hexadecimal.text(Digest.sha256(Array(identity.utf8)).prefix(8))
    }
}

extension DeliverySchedule.Record {
    fileprivate mutating func wait(_ state: String, _ until: Int64, _ reason: String) {
        self.state = state
        self.until = until
        var text = reason
        while text.utf8.count > DeliverySchedule.maximumReasonByteCount { text.removeLast() }
        self.reason = text
    }
}
