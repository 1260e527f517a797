import ByteReading
import Glibc
import HTTPServing
import HostSystem
import TextForms

/// A request and the part of its body received so far.
final class CollectorRequest: RequestHandler {
    private let head: HTTPServerRequest
    private let core: CollectorCore
    /// The page that the request reads; nil for a batch.
    private let page: Page?
    /// The name of the sender; nil without a valid token.
    private let sender: String?
    private let encoding: RequestEncoding?
    private let faults: [CollectorFault]
    private var body: BoundedBody
    /// An early refusal, which is sent after the end of the body.
    private var refusal: HTTPServerAnswer?
    /// The parts of a batch in the budget, released with the request at the latest.
    private var shares: CollectorBudget.Shares?

    private var settings: CollectorSettings { core.settings }

    /// A page that GET reads.
    private enum Page {
        case status
        case metrics
        case health
        case readiness

        /// Returns the page at a path; the pages of a collector with a ledger are nil for another one.
        init?(_ path: String, hasLedger: Bool) {
            switch path {
            case "/status": self = .status
            case "/metrics" where hasLedger: self = .metrics
            case "/healthz" where hasLedger: self = .health
            case "/readyz" where hasLedger: self = .readiness
            default: return nil
            }
        }

        /// Whether the page requires a token; schedulers read the other pages without one.
        var isProtected: Bool { self == .status || self == .metrics }
    }

    init(_ head: HTTPServerRequest, core: CollectorCore) {
        self.head = head
        self.core = core
        page = Page(head.path, hasLedger: core.ledger != nil)
        sender = core.sender(authorization: head[field: "Authorization"])
        let isBatch = head.method == "POST" && page == nil
        faults = isBatch ? core.nextFaults() : []
        encoding = RequestEncoding(field: head[field: "Content-Encoding"])
        body = BoundedBody(maximumByteCount: core.settings.maximumBodyByteCount)
        refusal = refusalOfHead() ?? (isBatch ? refusalByBudget() : nil)
        if refusal == nil {
            body = BoundedBody(
                maximumByteCount: core.settings.maximumBodyByteCount, expecting: head.contentLength)
        }
    }

    private func refusalByBudget() -> HTTPServerAnswer? {
        do throws(StorageFailure) {
            shares = try core.budget.begin(sender ?? "", byteCount: head.contentLength)
            return nil
        } catch {
            return core.refuse(error)
        }
    }

    private func refusalOfHead() -> HTTPServerAnswer? {
        if !core.accepts(head) {
            return .error(
                421, "misdirected", "without --token-file, the Host of a request must be a loopback address")
        }
        if sender == nil, page?.isProtected ?? true {
            core.ledger?.countUnauthorized()
            return .error(
                401, "unauthorized", "a valid bearer token is required",
                fields: [.init(name: "WWW-Authenticate", value: "Bearer")])
        }
        if page != nil {
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
            return Self.tooLarge(settings.maximumBodyByteCount)
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
        switch page {
        case .status: return .answer(.status(core.status))
        case .metrics: if let ledger = core.ledger { return .answer(ledger.metrics()) }
        case .readiness: if let ledger = core.ledger { return .answer(ledger.readiness()) }
        case .health:
            return .answer(HTTPServerAnswer(status: 200, type: "text/plain", body: Array("ok\n".utf8)))
        case nil: break
        }
        // An empty body never reaches `receive`.
        for case .reset(let limit) in faults where body.receivedCount >= limit { return .drop }
        let encoded = EncodedBody(
            body.takeBytes(), encoding ?? .identity, limit: settings.maximumDecodedByteCount)
        let memory: FairShares.Share
        do throws(StorageFailure) {
            memory = try core.budget.decode(sender ?? "", byteCount: encoded.decodedByteCount)
        } catch {
            return .answer(core.refuse(error))
        }
        defer { memory.release() }
        return store(encoded, memory)
    }

    /// Decodes and stores a batch.
    private func store(_ encoded: consuming EncodedBody, _ memory: FairShares.Share) -> RequestStep {
        let decoded: [UInt8]
        do throws(CompressionError) {
            decoded = try encoded.decode()
        } catch {
            switch error {
            case .tooLarge: return .answer(Self.tooLarge(settings.maximumDecodedByteCount))
            case .invalid, .notAvailable:
                return .answer(.error(400, "bad_encoding", "the body does not match its Content-Encoding"))
            }
        }
        shares?.body.release()
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
        memory.reduce(
            to: CollectorBudget.byteCount(decoded: decoded.count, recordCount: batch.lines.count))
        return core.receive(batch, from: sender ?? "", faults: faults)
    }
}

/// The content encodings that a collector supports.
enum RequestEncoding: String, Sendable, Hashable, CaseIterable {
    case identity
    case gzip
    case zstd

    /// Parses the header field; a missing or empty field means identity, and an unknown encoding gives nil.
    init?(field: String?) {
        let name = (field ?? "identity").trimmed.lowercased()
        if name.isEmpty {
            self = .identity
        } else if name == "x-gzip" {
            self = .gzip
        } else {
            self.init(rawValue: name)
        }
    }
}

extension String {
    var trimmed: String {
        let blanks: [Character] = [" ", "\t"]
        return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }
}

/// The body of a batch as sent.
struct EncodedBody: ~Copyable {
    private let bytes: [UInt8]
    private let encoding: RequestEncoding
    private let limit: Int
    /// The largest size of the decoded body: the size that the encoding states, at most the limit.
    let decodedByteCount: Int

    /// - Parameter limit: The maximum size of the decoded body.
    init(_ bytes: [UInt8], _ encoding: RequestEncoding, limit: Int) {
        self.bytes = bytes
        self.encoding = encoding
        self.limit = limit
        let stated =
            switch encoding {
            case .identity: bytes.count
            case .gzip: Inflation.statedByteCount(gzip: bytes.span)
            case .zstd: ZstdDecompressor.statedByteCount(stream: bytes.span)
            }
        decodedByteCount = min(stated ?? limit, limit)
    }

    /// Returns the decoded body.
    consuming func decode() throws(CompressionError) -> [UInt8] {
        do throws(CompressionError) {
            return try decode(limit: decodedByteCount)
        } catch {
            // The body states another size than it has.
            if case .tooLarge = error, decodedByteCount < limit { throw .invalid }
            throw error
        }
    }

    private func decode(limit: Int) throws(CompressionError) -> [UInt8] {
        switch encoding {
        case .identity:
            if bytes.count > limit { throw .tooLarge(limit: limit) }
            return bytes
        case .gzip:
            var decoded: [UInt8] = []
            let consumed = try Inflation.inflate(
                bytes.span, .gzip, expecting: limit, maximumByteCount: limit, appendingTo: &decoded)
            // Only one gzip member is supported: no sender uses several, so more data means damage.
            if consumed < bytes.count { throw .invalid }
            return decoded
        case .zstd:
            var decompressor = try ZstdDecompressor()
            return try decompressor.decompress(stream: bytes.span, maximumByteCount: limit)
        }
    }
}
