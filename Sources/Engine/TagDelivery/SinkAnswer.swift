package import HTTPTransfer
package import TagStore

/// The answer of a sink to a batch.
public enum SinkAnswer: Sendable, Hashable {
    /// All tags except the rejected are durable at the sink, which already had `duplicateCount` of them.
    case received(rejected: [CollectorReply.Rejection], duplicateCount: Int = 0)
    /// The collector refuses the batch because of a bad tag, and does not name it.
    case refused(code: String)
    /// The batch is too large.
    case tooLarge
    /// The sink does not support the encoding.
    case unsupportedEncoding
    /// The fate of the batch is unknown, or the sink is temporarily unavailable.
    ///
    /// `notBefore` is the minimum wait, if the sink asks for one.
    case retry(reason: String, notBefore: Duration?)
    /// An operator has to act first, because of a token, an address, a certificate or a login page.
    case hold(reason: String, notBefore: Duration?)
    /// The client cancelled the request, so the answer says nothing about the sink.
    case abandoned

    /// Classifies a response.
    ///
    /// | response | answer |
    /// | --- | --- |
    /// | 2xx with a receipt for exactly these tags | received |
    /// | 2xx without | retry: unknown |
    /// | 413 | tooLarge |
    /// | 400, 422 with an error body and a collector's code | refused |
    /// | 415 | unsupportedEncoding |
    /// | 408, 409, 425, 429, 5xx | retry |
    /// | any other status: 400 and 422 from an intermediary, 401, 403, 404, 410, 3xx | hold |
    ///
    /// - Parameter now: The time in milliseconds of Unix time, the reference for a date in Retry-After.
    package init(_ response: HTTPResponse, to tagIDs: [TagID], now: Int64) {
        let status = response.status
        let notBefore = Self.wait(response.headers, now: now)
        let reply = response.isTruncated ? nil : CollectorReply(response.body.span)
        var what = "status \(status)"
        if case .error(let code, let message) = reply { what += ": \(code): \(message)" }
        switch status {
        case 200..<300:
            guard case .receipt(let accepted, let duplicate, let rejected) = reply,
                Self.accounts(for: tagIDs, accepted, duplicate, rejected)
            else {
                self = .retry(reason: "\(what) with an unreadable body", notBefore: notBefore)
                return
            }
            // Cannot overflow: the receipt accounts for as many tags as were sent.
            self = .received(rejected: rejected, duplicateCount: Int(duplicate))
        case 413:
            self = .tooLarge
        case 415:
            self = .unsupportedEncoding
        case 400, 422:
            guard case .error(let code, _) = reply, CollectorReply.codes.contains(code) else {
                self = .hold(
                    reason: "\(what); not from a collector but from a proxy",
                    notBefore: notBefore)
                return
            }
            self = .refused(code: code)
        case 408, 409, 425, 429, 500..<600:
            self = .retry(reason: what, notBefore: notBefore)
        default:
            self = .hold(reason: what, notBefore: notBefore)
        }
    }

    /// Classifies the failure of a request without a response.
    package init(_ error: HTTPTransferError) {
        switch error.kind {
        case .cancelled:
            self = .abandoned
        case .tlsFailed, .invalidRequest, .addressRefused, .redirectRefused:
            self = .hold(reason: error.description, notBefore: nil)
        case .nameNotResolved, .notConnected, .timedOut, .interrupted, .bodyTooLarge, .headerTooLarge,
            .malformedResponse, .local, .closed:
            self = .retry(reason: error.description, notBefore: nil)
        }
    }

    /// Whether a receipt accounts for each of the tags exactly once, and for no other.
    private static func accounts(
        for tagIDs: [TagID], _ accepted: Int64, _ duplicate: Int64, _ rejected: [CollectorReply.Rejection]
    ) -> Bool {
        let ids = Set(rejected.map(\.id))
        let (kept, overflow) = accepted.addingReportingOverflow(duplicate)
        guard !overflow, ids.count == rejected.count, ids.isEmpty || ids.isSubset(of: Set(tagIDs)) else {
            return false
        }
        return kept == Int64(tagIDs.count - ids.count)
    }

    private static func wait(_ headers: HTTPHeaders, now: Int64) -> Duration? {
        switch headers.retryAfter {
        case nil: nil
        case .seconds(let seconds): .seconds(seconds)
        case .date(let seconds):
            // The server computed the date with its own clock.
            max(.zero, .seconds(seconds) - .seconds(headers.date ?? now / 1_000))
        }
    }
}
