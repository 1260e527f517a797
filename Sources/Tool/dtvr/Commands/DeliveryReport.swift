import TagDelivery
import TagRecord
import TagStore
import TextForms

/// The delivery part of `dtvr store status`: the state of the uploader and the results so far.
struct DeliveryReport {
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
        return "\(RFC3339.tableText(unixSeconds: time / 1_000)) UTC, \(StoreReport.age(now &- time)) ago"
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
