import HTTPTransfer
import TagDelivery
import TextForms

/// A change of the delivery that sessions report.
enum DeliveryChange: Sendable, Hashable {
    /// The delivery fails, or fails in another way.
    case failed(SessionErrorCode, String)
    /// The problem is over.
    case recovered(String)
}

/// The state of a folder's delivery, derived from the progress of its uploaders.
///
/// A problem lasts until an attempt succeeds or no tag waits. Further attempts that fail in the same way change only
/// the reason.
struct DeliveryWatch: Sendable {
    /// The current state, without the number of dead letters.
    private(set) var delivery = SessionDelivery(.idle)
    /// The number of dead letters of the current uploader.
    private var deadCount = 0
    /// The number of dead letters since the first one that was not reported.
    private var unreportedCount = 0
    /// The number of dead letters that were reported.
    private var reportedCount = 0
    /// The address of the collector without secrets.
    private let address: String

    /// Creates the watch of the delivery to a collector.
    init(collector: String) { address = HTTPRequest.withoutSecrets(collector) }

    /// Adopts the progress of an uploader, and returns the changes to report.
    ///
    /// - Parameter time: the current time, in milliseconds of Unix time.
    mutating func observe(_ progress: DeliveryProgress, at time: Int64) -> [DeliveryChange] {
        var changes: [DeliveryChange] = []
        if let refused = countDeadLetters(of: progress) { changes.append(refused) }
        switch progress.activity {
        case .backingOff(_, let reason), .holding(_, let reason):
            // Before the first attempt, this is a wait of an earlier launch that does not take place.
            guard progress.attemptCount > 0 else { break }
            let isHeld = if case .holding = progress.activity { true } else { false }
            let code = progress.lastFailure?.code ?? .httpStatus
            if let change = fail(isHeld ? .held : .retrying, code, reason, at: time) {
                changes.append(change)
            }
        case .bufferTrouble(let reason):
            if let change = fail(.retrying, .database, reason, at: time) { changes.append(change) }
        case .sending:
            // An attempt does not end a problem: its answer does.
            guard delivery.code == nil || progress.attemptCount > 0 && progress.lastTrouble == nil else {
                break
            }
            if let change = succeed(.sending, "delivering again") { changes.append(change) }
        case .idle:
            let isDelivered = progress.lastTrouble == nil
            if let change = succeed(.idle, isDelivered ? "delivering again" : "no tags wait any more") {
                changes.append(change)
            }
        }
        return changes
    }

    /// Records a problem, and returns the change if it is new.
    mutating func fail(
        _ state: SessionDelivery.State, _ code: SessionErrorCode, _ reason: String, at time: Int64
    ) -> DeliveryChange? {
        let isNew = delivery.state != state || delivery.code != code
        // A probe of a held delivery that fails for another reason tells something new. The reasons of retries vary in
        // their details.
        let isReported = isNew || state == .held && delivery.reason != reason
        if isNew { delivery.since = time }
        delivery.state = state
        delivery.code = code
        delivery.reason = reason
        guard isReported else { return nil }
        let consequence =
            state == .held
            ? "delivery is held until the cause is fixed, and tried every 15 minutes" : "delivery is retried"
        return .failed(code, "\(consequence): \(addressed(reason))")
    }

    /// Records that the buffer has been opened, and returns the change if it could not be used before.
    mutating func resume() -> DeliveryChange? {
        delivery.code == .database ? succeed(.idle, "the buffer can be used again") : nil
    }

    private mutating func succeed(_ state: SessionDelivery.State, _ text: String) -> DeliveryChange? {
        let hasFailed = delivery.code != nil
        delivery = SessionDelivery(state)
        return hasFailed ? .recovered(text) : nil
    }

    /// Returns a reason that names the collector.
    private func addressed(_ reason: String) -> String {
        reason.contains(address) ? reason : "\(address): \(reason)"
    }

    /// Counts new dead letters; returns a change for the first one, and whenever their number has doubled.
    private mutating func countDeadLetters(of progress: DeliveryProgress) -> DeliveryChange? {
        // A new uploader counts from zero.
        let newCount = progress.deadCount - (progress.deadCount < deadCount ? 0 : deadCount)
        deadCount = progress.deadCount
        unreportedCount += newCount
        guard newCount > 0, unreportedCount >= reportedCount else { return nil }
        reportedCount += unreportedCount
        unreportedCount = 0
        let tags = DecimalText.count(reportedCount, "tag")
        let reason = progress.lastRefusal.map { ": \($0)" } ?? ""
        return .failed(.httpStatus, "\(address) has refused \(tags) permanently\(reason)")
    }
}

extension DeliveryFailure {
    /// The number of the failure in the guides.
    var code: SessionErrorCode {
        switch self {
        case .network: .network
        case .request: .http
        case .status: .httpStatus
        }
    }
}
