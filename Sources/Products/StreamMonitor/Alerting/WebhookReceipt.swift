import HTTPTransfer

/// The meaning of a webhook's response for the alert.
enum WebhookReceipt: Sendable, Hashable {
    /// The receiver has accepted the alert (2xx).
    case accepted
    /// The receiver rejects this alert permanently (4xx, except temporary errors and errors about the address).
    case refused(status: Int)
    /// The attempt failed and is retried; `retryAfter` is the delay in seconds that the receiver asks for.
    case failed(reason: String, retryAfter: Double?)

    /// Classifies a response that arrived at a time in Unix seconds.
    init(_ response: HTTPResponse, at time: Int64) {
        switch response.status {
        case 200..<300: self = .accepted
        // An operator can still fix an expired token or a receiver that is being replaced.
        case 401, 403, 404, 407, 410: self = Self.failure(response, time)
        case 408, 425, 429: self = Self.failure(response, time)
        case 400..<500: self = .refused(status: response.status)
        // Includes redirects, which a POST does not follow.
        default: self = Self.failure(response, time)
        }
    }

    /// Classifies a request without a response.
    init(_ error: HTTPTransferError) { self = .failed(reason: error.reason, retryAfter: nil) }

    private static func failure(_ response: HTTPResponse, _ time: Int64) -> WebhookReceipt {
        let seconds: Double? =
            switch response.headers.retryAfter {
            case .seconds(let seconds): Double(seconds)
            case .date(let date): Double(date) - Double(time)
            case nil: nil
            }
        return .failed(reason: "it answered with status \(response.status)", retryAfter: seconds)
    }
}
