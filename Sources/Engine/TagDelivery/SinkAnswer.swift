package import HTTPTransfer
package import TagStore

/// What a sink says about a batch.
public enum SinkAnswer: Sendable, Hashable {
    /// All tags but the rejected are durable there; so many of them were before.
    case received(rejected: [CollectorReply.Rejection], duplicateCount: Int = 0)
    /// A collector says that something in the batch is bad, and not what.
    case refused(code: String)
    /// The batch is too large.
    case tooLarge
    /// The encoding is not known there.
    case unsupportedEncoding
    /// Nobody knows what became of the batch, or it is not the time for it.
    ///
    /// `notBefore` is the least time to wait, where the sink asks for one.
    case retry(reason: String, notBefore: Duration?)
    /// Somebody has to do something first: a token, an address, a certificate, a login page.
    case hold(reason: String, notBefore: Duration?)
    /// The sending was given up at this end: nothing is to be learned from it.
    case abandoned

    /// What is made of a request's end: the answer table.
    ///
    /// | answer | what it is |
    /// | --- | --- |
    /// | 2xx with a receipt for exactly these tags | received |
    /// | 2xx without | retry: unknown |
    /// | 413 | tooLarge |
    /// | 400, 422 with an error body and a code of a collector's | refused |
    /// | 415 | unsupportedEncoding |
    /// | 408, 409, 425, 429, 5xx | retry |
    /// | any other status: 400 and 422 of somebody else's, 401, 403, 404, 410, 3xx | hold |
    ///
    /// - Parameter now: milliseconds of Unix time, against which a date of Retry-After is held.
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
                self = .retry(reason: "\(what) with an answer that cannot be read", notBefore: notBefore)
                return
            }
            // It accounts for as many tags as were sent.
            self = .received(rejected: rejected, duplicateCount: Int(duplicate))
        case 413:
            self = .tooLarge
        case 415:
            self = .unsupportedEncoding
        case 400, 422:
            guard case .error(let code, _) = reply, CollectorReply.codes.contains(code) else {
                self = .hold(
                    reason: "\(what); not from a collector, but from something in between",
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

    /// What is made of a request that has no response.
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

    /// Whether a receipt speaks of each of the tags once, and of no other.
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
            // The server's own clock is the one that its date is meant by.
            max(.zero, .seconds(seconds) - .seconds(headers.date ?? now / 1_000))
        }
    }
}
