import ByteCompression
import TextForms

/// One request while its body arrives; used by the thread of its connection only.
final class CollectorRequest {
    /// What the daemon does next.
    enum Step {
        /// Go on.
        case proceed
        /// Close the connection without an answer.
        case drop
        /// Answer.
        case answer(CollectorAnswer)
    }

    /// What the header of a request says.
    struct Header {
        var method: String
        var path: String
        var contentType: String?
        var contentEncoding: String?
        var contentLength: String?
        var transferEncoding: String?
        var authorization: String?
        var idempotencyKey: String?
    }

    private let header: Header
    private let settings: CollectorSettings
    private let encoding: ContentEncoding?
    let faults: [CollectorFault]
    private var body: [UInt8] = []
    private var receivedCount = 0
    /// The answer that is already known; the body is read to its end and thrown away, because a sender that is
    /// cut off while it sends may never see the answer.
    private var refusal: CollectorAnswer?

    init(_ header: Header, settings: CollectorSettings, faults: [CollectorFault]) {
        self.header = header
        self.settings = settings
        self.faults = faults
        encoding = ContentEncoding(field: header.contentEncoding)
        refusal = Self.refusal(header, settings, encoding, faults)
    }

    private static func refusal(
        _ header: Header, _ settings: CollectorSettings, _ encoding: ContentEncoding?,
        _ faults: [CollectorFault]
    ) -> CollectorAnswer? {
        if let token = settings.bearerToken, !isAuthorized(header.authorization, token) {
            return .error(
                401, "unauthorized", "a bearer token is required, and this is not it",
                fields: [.init(name: "WWW-Authenticate", value: "Bearer")])
        }
        if header.path == "/status" {
            if header.method == "GET" { return nil }
            return .error(405, "method_not_allowed", "GET only", fields: [.init(name: "Allow", value: "GET")])
        }
        if header.method == "GET" { return .error(404, "not_found", "there is /status, and POST elsewhere") }
        guard header.method == "POST" else {
            return .error(
                405, "method_not_allowed", "POST only", fields: [.init(name: "Allow", value: "POST")])
        }
        if header.contentLength == nil && header.transferEncoding == nil {
            return .error(
                411, "length_required", "the request says neither its length nor that it is chunked")
        }
        if let length = header.contentLength.flatMap({ Int($0) }), length > settings.maximumBodyByteCount {
            return tooLarge(settings.maximumBodyByteCount)
        }
        let type = header.contentType?.prefix { $0 != ";" }.description.trimmed.lowercased()
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

    private static func tooLarge(_ limit: Int) -> CollectorAnswer {
        .error(413, "too_large", "more than \(limit) bytes")
    }

    /// Compares in a time that does not tell how much of the token is right.
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

    /// How long a slow reader takes over so many bytes; 0 for one that is not slow.
    func pauseMicroseconds(for count: Int) -> UInt32 {
        for case .slow(let rate) in faults {
            return UInt32(clamping: Int(Double(count) / Double(max(1, rate)) * 1_000_000))
        }
        return 0
    }

    /// Takes the next bytes of the body.
    func receive(_ bytes: Span<UInt8>) -> Step {
        receivedCount += bytes.count
        for case .reset(let limit) in faults where receivedCount > limit { return .drop }
        if refusal == nil, receivedCount > settings.maximumBodyByteCount {
            refusal = Self.tooLarge(settings.maximumBodyByteCount)
        }
        guard refusal == nil else {
            body = []
            // A sender that does not stop is not listened to for ever.
            return receivedCount > 8 * settings.maximumBodyByteCount ? .drop : .proceed
        }
        body.reserveCapacity(
            min(settings.maximumBodyByteCount, header.contentLength.flatMap { Int($0) } ?? 0))
        for index in bytes.indices { body.append(bytes[index]) }
        return .proceed
    }

    /// Answers the request, whose body is complete.
    func finish(_ service: CollectorCore) -> Step {
        if let refusal { return .answer(refusal) }
        if header.path == "/status" { return .answer(.status(service.status)) }
        // Without a body no byte was ever too many.
        for case .reset(let limit) in faults where receivedCount >= limit { return .drop }
        let decoded: [UInt8]
        do throws(CompressionError) {
            decoded = try ContentDecoder.decode(
                body, encoding ?? .identity, limit: settings.maximumDecodedByteCount)
        } catch {
            switch error {
            case .tooLarge: return .answer(Self.tooLarge(settings.maximumDecodedByteCount))
            case .invalid, .notAvailable:
                return .answer(.error(400, "bad_encoding", "the body is not what its encoding says"))
            }
        }
        body = []
        let batch: ReceivedBatch
        do throws(ReceivedBatch.Defect) {
            batch = try ReceivedBatch(decoded, settings: settings)
        } catch {
            if case .tooManyTags = error { return .answer(.error(413, error.code, error.message)) }
            return .answer(.error(400, error.code, error.message))
        }
        if let key = header.idempotencyKey, key != batch.header.batch {
            return .answer(.error(400, "bad_header", "the Idempotency-Key is not the header's batch"))
        }
        return service.take(batch, faults: faults)
    }
}
