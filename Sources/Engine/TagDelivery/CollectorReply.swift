import TagRecord
public import TagStore
import TextForms

/// The body of a collector's response.
public enum CollectorReply: Sendable, Hashable {
    /// `{"accepted":n,"duplicate":m,"rejected":[{"id":…,"code":…}]}`
    case receipt(accepted: Int64, duplicate: Int64, rejected: [Rejection])
    /// `{"error":{"code":"…","message":"…"}}`
    case error(code: String, message: String)

    /// A tag that the collector rejects permanently.
    public struct Rejection: Sendable, Hashable {
        /// The id of the tag.
        public let id: TagID
        /// The collector's reason.
        public let code: String

        /// Creates a rejection of one tag.
        public init(id: TagID, code: String) {
            self.id = id
            self.code = code
        }
    }

    /// The codes that a collector uses in an error body; any other code comes from an intermediary, such as a gateway.
    package static let codes: Set<String> = [
        "bad_tag", "bad_header", "bad_line", "bad_encoding", "bad_request", "empty_batch", "too_many_tags",
        "too_large", "unsupported_type", "unsupported_encoding", "length_required", "method_not_allowed",
        "not_found", "unauthorized", "busy", "internal",
    ]

    /// The limit on a text from the collector, in Unicode scalars.
    static let maximumTextLength = 200

    /// Reads the body of a response; nil if it is neither a receipt nor an error.
    ///
    /// `duplicate` and `rejected` are optional and default to 0 and to an empty list. Unknown members are ignored. The
    /// whole body must be valid: a truncated reply, or one with trailing bytes, is invalid.
    package init?(_ bytes: Span<UInt8>) {
        var accepted: Int64?
        var duplicate: Int64? = 0
        var rejected: [Rejection]? = []
        var error: Range<Int>?
        var names: Set<String> = []
        var isRepeated = false
        do throws(JSONReader.JSONError) {
            var rejectedRange: Range<Int>?
            try JSONReader.members(of: bytes, in: 0..<bytes.count) { key, value, kind in
                // A reply has at most four names, so longer keys are not even copied.
                let name = key.count <= 32 ? JSONReader.string(bytes, in: key) : ""
                guard ["accepted", "duplicate", "rejected", "error"].contains(name) else { return }
                if !names.insert(name).inserted { isRepeated = true }
                switch name {
                case "accepted": accepted = kind == .number ? JSONReader.integer(bytes, in: value) : nil
                case "duplicate": duplicate = kind == .number ? JSONReader.integer(bytes, in: value) : nil
                case "rejected":
                    rejectedRange = kind == .array ? value : nil
                    if kind != .array { rejected = nil }
                default: error = kind == .object ? value : nil
                }
            }
            if let rejectedRange { rejected = try Self.rejections(bytes, rejectedRange) }
            if let error, !isRepeated, names == ["error"] {
                self = try Self.error(bytes, error)
                return
            }
        } catch {
            return nil
        }
        guard !isRepeated, error == nil, !names.contains("error"), let accepted, let duplicate, let rejected,
            accepted >= 0, duplicate >= 0
        else { return nil }
        self = .receipt(accepted: accepted, duplicate: duplicate, rejected: rejected)
    }

    private static func rejections(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JSONReader.JSONError) -> [Rejection]? {
        var elements: [Range<Int>] = []
        var isGood = true
        try JSONReader.elements(of: bytes, in: range) { element, kind in
            if kind == .object { elements.append(element) } else { isGood = false }
        }
        var rejections: [Rejection] = []
        for element in elements where isGood {
            var id: TagID?
            var code = "rejected"
            try JSONReader.members(of: bytes, in: element) { key, value, kind in
                guard kind == .string else { return }
                if JSONReader.string(bytes, in: key, is: "id") {
                    id = value.count == 34 ? TagID(text: JSONReader.string(bytes, in: value)) : nil
                } else if JSONReader.string(bytes, in: key, is: "code") {
                    code = text(bytes, value)
                }
            }
            guard let id else { return nil }
            rejections.append(Rejection(id: id, code: code))
        }
        return isGood ? rejections : nil
    }

    private static func error(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JSONReader.JSONError) -> CollectorReply {
        var code = ""
        var message = ""
        try JSONReader.members(of: bytes, in: range) { key, value, kind in
            guard kind == .string else { return }
            if JSONReader.string(bytes, in: key, is: "code") { code = text(bytes, value) }
            if JSONReader.string(bytes, in: key, is: "message") { message = text(bytes, value) }
        }
        return .error(code: code, message: message)
    }

    /// Returns a text of the collector for a log: truncated, and without control characters that could steer a
    /// terminal.
    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        let whole = JSONReader.string(bytes, in: range)
        let shown = whole.unicodeScalars.prefix(maximumTextLength).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }
        return String(String.UnicodeScalarView(shown))
    }
}
