import HTTPTransfer

/// What a webhook's answer means for the alert that was sent.
enum WebhookReceipt: Sendable, Hashable {
    /// It has the alert (2xx).
    case accepted
    /// It refuses this alert for good (4xx, but for those that pass or are about the address and not the alert).
    case refused(status: Int)
    /// It may take it later; with how many seconds it asks to wait, and why it failed.
    case failed(reason: String, retryAfter: Double?)

    /// What a response means at a time in Unix seconds.
    init(_ response: HTTPResponse, at time: Int64) {
        switch response.status {
        case 200..<300: self = .accepted
        // A token that has expired, and a receiver that is being replaced, are seen to by somebody.
        case 401, 403, 404, 407, 410: self = Self.failure(response, time)
        case 408, 425, 429: self = Self.failure(response, time)
        case 400..<500: self = .refused(status: response.status)
        // A redirect, which no POST follows, is among them.
        default: self = Self.failure(response, time)
        }
    }

    /// What it means that there was no response.
    init(_ error: HTTPTransferError) { self = .failed(reason: error.reason, retryAfter: nil) }

    private static func failure(_ response: HTTPResponse, _ time: Int64) -> WebhookReceipt {
        let seconds: Double? =
            switch response.headers.retryAfter {
            case .seconds(let seconds): Double(seconds)
            case .date(let date): Double(date) - Double(time)
            case nil: nil
            }
        return .failed(reason: "it answered \(response.status)", retryAfter: seconds)
    }
}
