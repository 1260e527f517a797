import ByteCompression
import Glibc
import HTTPServing
import TextForms

/// A request and the part of its body received so far.
final class CollectorRequest: RequestHandler {
    private let head: HTTPServerRequest
    private let core: CollectorCore
    private let encoding: RequestEncoding?
    private let faults: [CollectorFault]
    private var body: BoundedBody
    /// An early refusal, which is sent after the end of the body.
    private var refusal: HTTPServerAnswer?

    private var settings: CollectorSettings { core.settings }

    init(_ head: HTTPServerRequest, core: CollectorCore) {
        self.head = head
        self.core = core
        let isBatch = head.method == "POST" && head.path != "/status"
        faults = isBatch ? core.nextFaults() : []
        encoding = RequestEncoding(field: head[field: "Content-Encoding"])
        body = BoundedBody(
            maximumByteCount: core.settings.maximumBodyByteCount, expecting: head.contentLength)
        refusal = Self.refusal(head, core.settings, encoding, faults)
    }

    private static func refusal(
        _ head: HTTPServerRequest, _ settings: CollectorSettings, _ encoding: RequestEncoding?,
        _ faults: [CollectorFault]
    ) -> HTTPServerAnswer? {
        if let token = settings.bearerToken, !isAuthorized(head[field: "Authorization"], token) {
            return .error(
                401, "unauthorized", "a valid bearer token is required",
                fields: [.init(name: "WWW-Authenticate", value: "Bearer")])
        }
        if head.path == "/status" {
            if head.method == "GET" { return nil }
            return .error(405, "method_not_allowed", "GET only", fields: [.init(name: "Allow", value: "GET")])
        }
        if head.method == "GET" { return .error(404, "not_found", "only /status supports GET") }
        guard head.method == "POST" else {
            return .error(
                405, "method_not_allowed", "POST only", fields: [.init(name: "Allow", value: "POST")])
        }
        if head[field: "Content-Length"] == nil && head[field: "Transfer-Encoding"] == nil {
            return .error(
                411, "length_required", "Content-Length or Transfer-Encoding is required")
        }
        if let length = head.contentLength, length > settings.maximumBodyByteCount {
            return tooLarge(settings.maximumBodyByteCount)
        }
        let type = head[field: "Content-Type"]?.prefix { $0 != ";" }.description.trimmed.lowercased()
        guard type == "application/x-ndjson" else {
            return .error(415, "unsupported_type", "application/x-ndjson only")
        }
        let refused = faults.contains { fault in
            if case .refusedEncoding(let name) = fault { return name == encoding?.rawValue }
            return false
        }
        if encoding == nil || refused {
            return .error(
                415, "unsupported_encoding", "zstd, gzip or identity only",
                fields: [.init(name: "Accept-Encoding", value: "zstd, gzip, identity")])
        }
        return nil
    }

    private static func tooLarge(_ limit: Int) -> HTTPServerAnswer {
        .error(413, "too_large", "more than \(limit) bytes")
    }

    /// Compares the token in constant time, so that the duration does not reveal a partial match.
    static func isAuthorized(_ field: String?, _ token: String) -> Bool {
        let wanted = Array(token.utf8)
        let field = Array((field ?? "").utf8)
        let scheme = Array("bearer ".utf8)
        let isBearer =
            field.count >= scheme.count && zip(field, scheme).allSatisfy { $0 | 0x20 == $1 || $0 == $1 }
        let given = isBearer ? Array(field[scheme.count...]) : []
        var difference = given.count ^ wanted.count
        for index in 0..<given.count { difference |= Int(given[index] ^ wanted[index % wanted.count]) }
        return difference == 0
    }

    func receive(_ bytes: Span<UInt8>) -> RequestStep {
        for case .slow(let rate) in faults {
            usleep(UInt32(clamping: Int(Double(bytes.count) / Double(max(1, rate)) * 1_000_000)))
        }
        body.append(bytes, isWanted: refusal == nil)
        for case .reset(let limit) in faults where body.receivedCount > limit { return .drop }
        switch body.state {
        case .complete: break
        case .tooLarge: refusal = refusal ?? Self.tooLarge(settings.maximumBodyByteCount)
        case .endless: return .drop
        }
        return .proceed
    }

    func finish() -> RequestStep {
        if let refusal { return .answer(refusal) }
        if head.path == "/status" { return .answer(.status(core.status)) }
        // An empty body never reaches `receive`.
        for case .reset(let limit) in faults where body.receivedCount >= limit { return .drop }
        let decoded: [UInt8]
        do throws(CompressionError) {
            decoded = try ContentDecoder.decode(
                body.bytes, encoding ?? .identity, limit: settings.maximumDecodedByteCount)
        } catch {
            switch error {
            case .tooLarge: return .answer(Self.tooLarge(settings.maximumDecodedByteCount))
            case .invalid, .notAvailable:
                return .answer(.error(400, "bad_encoding", "the body does not match its Content-Encoding"))
            }
        }
        let batch: ReceivedBatch
        do throws(ReceivedBatch.Defect) {
            batch = try ReceivedBatch(decoded, settings: settings)
        } catch {
            if case .tooManyTags = error { return .answer(.error(413, error.code, error.message)) }
            return .answer(.error(400, error.code, error.message))
        }
        if let key = head[field: "Idempotency-Key"], key != batch.header.batch {
            return .answer(
                .error(400, "bad_header", "the Idempotency-Key does not match the batch in the header"))
        }
        return core.receive(batch, faults: faults)
    }
}
