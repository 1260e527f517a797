import HostSystem
import TagDelivery
import TagRecord
import TagStore
import TextForms

/// The output of `dtvr store status`, as text and JSON.
struct StoreReport {
    private let status: StoreStatus
    private let directory: String
    /// The process that holds the buffer and wrote the status; nil if this process opened the buffer.
    private let owner: Int32?
    private let delivery: DeliveryReport
    private let now: Int64

    init(_ status: StoreStatus, directory: String, owner: Int32?) {
        self.status = status
        self.directory = directory
        self.owner = owner
        now = SystemClock().unixMilliseconds
        delivery = DeliveryReport(status, hasOwner: owner != nil, now: now)
    }

    /// The files, with their names in JSON and in text.
    private var files: [(key: String, name: String, byteCount: Int64)] {
        let files = status.files
        return [
            ("database", "database", files.database), ("wal", "log", files.writeAheadLog),
            ("reserve", "reserve", files.reserve), ("high_water", "high-water mark", files.highWaterMark),
            ("status", "status", files.status), ("other", "other", files.other),
        ]
    }

    var lines: [String] {
        let totals = status.totals
        let losses = totals.losses
        var lines = ["buffer     \(directory), id \(status.storeID)"]
        if let owner {
            lines.append(
                "held by    process \(owner); status from \(DurationText.age(milliseconds: now &- status.written)) ago"
            )
        }
        lines += [
            "state      \(status.state.rawValue)",
            "waiting    \(waitingText)",
            "ages       \(ageText)",
            "disk       \(ByteCountText.text(status.byteCount)) of "
                + "\(ByteCountText.text(status.maximumByteCount)): "
                + files.map { "\($0.name) \(ByteCountText.text($0.byteCount))" }.joined(separator: ", "),
            "accepted   \(totals.accepted)",
            "delivered  \(totals.delivered), last success: \(delivery.lastSuccessText)",
            "delivery   \(delivery.text)",
            "refused    \(totals.refused)",
            "lost       \(losses.total): \(losses.evicted) evicted, \(losses.expired) expired, \(losses.dead) dead, "
                + "\(losses.pruned) pruned, \(losses.damaged) damaged, \(losses.memoryLost) lost from memory",
        ]
        if status.deadLetterCount > 0 {
            lines.append("dead       \(status.deadLetterCount) kept; dtvr store list --dead shows them")
        }
        if status.overflowCount > 0 {
            let tags = DecimalText.count(status.overflowCount, "tag")
            lines.append("in memory  \(tags), because the disk is full or read-only")
        }
        return lines
    }

    private var waitingText: String {
        guard let oldest = status.oldestReceived, status.totals.inStore > 0 else {
            return DecimalText.count(status.totals.inStore, "tag")
        }
        var text =
            DecimalText.count(status.totals.inStore, "tag")
            + ", the oldest from \(RFC3339.tableText(unixSeconds: oldest / 1_000)) UTC, "
            + "\(DurationText.age(milliseconds: now &- oldest)) ago"
        if let newest = status.newestReceived {
            text += ", the newest from \(RFC3339.tableText(unixSeconds: newest / 1_000)) UTC"
        }
        return text
    }

    /// The maximum age of a tag, and the reason if it is not enforced for all tags.
    private var ageText: String {
        let limit = "a tag is kept for up to \(DurationText.age(milliseconds: status.maximumAgeMilliseconds))"
        guard let reason = unknownAgeReason else { return limit }
        return "\(limit); tags from before the last boot may be kept longer, because \(reason)"
    }

    /// The reason why the maximum age is not enforced for all tags, or nil if it is.
    private var unknownAgeReason: String? {
        switch status.unknownAge {
        case nil: nil
        case .clockNow: "the clock is not synchronized"
        case .clockThen: "the clock was not synchronized then"
        }
    }

    var json: String {
        var writer = JSONWriter()
        let totals = status.totals
        writer.beginObject()
        writer.key("directory")
        writer.value(directory)
        writer.key("store_id")
        writer.value(status.storeID)
        writer.key("state")
        writer.value(status.state.rawValue)
        writer.key("held_by")
        writer.value(owner)
        writer.key("age_seconds")
        writer.value(owner == nil ? 0 : max(0, Double(now &- status.written) / 1_000))
        writer.key("waiting")
        writer.value(totals.inStore)
        writer.key("oldest_received")
        writer.value(status.oldestReceived.map(RFC3339.text(unixMilliseconds:)))
        writer.key("newest_received")
        writer.value(status.newestReceived.map(RFC3339.text(unixMilliseconds:)))
        writer.key("oldest_age_seconds")
        writer.value(status.oldestReceived.map { max(0, Double(now &- $0) / 1_000) })
        writer.write("max_age_seconds", number: Double(status.maximumAgeMilliseconds) / 1_000)
        writer.key("age_enforced")
        writer.value(unknownAgeReason == nil)
        writer.write("age_reason", unknownAgeReason)
        writer.key("bytes")
        writer.value(status.byteCount)
        writer.key("max_bytes")
        writer.value(status.maximumByteCount)
        writer.key("files")
        writer.beginObject()
        for file in files {
            writer.key(file.key)
            writer.value(file.byteCount)
        }
        writer.endObject()
        writer.key("accepted")
        writer.value(totals.accepted)
        writer.key("delivered")
        writer.value(totals.delivered)
        writer.key("refused")
        writer.value(totals.refused)
        writer.key("in_memory")
        writer.value(status.overflowCount)
        writer.key("losses")
        writer.beginObject()
        let losses = totals.losses
        for (cause, count) in [
            ("evicted", losses.evicted), ("expired", losses.expired), ("dead", losses.dead),
            ("pruned", losses.pruned), ("damaged", losses.damaged), ("memory_lost", losses.memoryLost),
        ] {
            writer.key(cause)
            writer.value(count)
        }
        writer.endObject()
        writer.key("dead_letters")
        writer.value(status.deadLetterCount)
        writer.key("delivery")
        delivery.write(to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The delivery part of `dtvr store status`: the state of the uploader and the results so far.
private struct DeliveryReport {
    private let schedule: DeliverySchedule
    private let isSending: Bool
    private let now: Int64

    /// Creates the report from a store status; without any delivery so far, it shows an idle uploader.
    ///
    /// - Parameter hasOwner: Whether another process has the buffer open, and may be sending.
    init(_ status: StoreStatus, hasOwner: Bool, now: Int64) {
        schedule = DeliverySchedule(forAnySink: status.deliveryState) ?? DeliverySchedule()
        isSending = hasOwner && status.inFlightCount > 0
        self.now = now
    }

    /// The name of the state, its end time, and its reason.
    private var state: (name: String, until: Int64?, reason: String?) {
        // An in-flight batch means that any recorded wait is over.
        if isSending { return ("sending", nil, nil) }
        return switch schedule.state {
        case .ready: ("idle", nil, nil)
        case .backingOff(let until, let reason): ("backing-off", until, reason)
        case .holding(let until, let reason): ("holding", until, reason)
        }
    }

    var text: String {
        let (name, until, reason) = state
        var text = name == "backing-off" ? "backing off" : name
        if let until {
            let time = RFC3339.tableText(unixSeconds: until / 1_000)
            text += until > now ? " until \(time) UTC" : ", the wait ended at \(time) UTC"
        }
        if let reason { text += ": \(reason)" }
        if schedule.failureCount > 0 {
            text +=
                schedule.failureCount == 1
                ? "; 1 attempt failed" : "; \(schedule.failureCount) consecutive attempts failed"
        }
        return text
    }

    var lastSuccessText: String {
        guard let time = schedule.lastSuccess else { return "never" }
        return
            "\(RFC3339.tableText(unixSeconds: time / 1_000)) UTC, \(DurationText.age(milliseconds: now &- time)) ago"
    }

    func write(to writer: inout JSONWriter) {
        let (name, until, reason) = state
        writer.beginObject()
        writer.key("state")
        writer.value(name)
        writer.key("until")
        writer.value(until.map(RFC3339.text(unixMilliseconds:)))
        writer.key("reason")
        writer.value(reason)
        writer.key("failures")
        writer.value(schedule.failureCount)
        writer.key("last_success")
        writer.value(schedule.lastSuccess.map(RFC3339.text(unixMilliseconds:)))
        writer.endObject()
    }
}
