/// A failure to compress or decompress bytes.
package enum CompressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The compressed bytes are truncated or not in the expected format.
    case invalid
    /// The output exceeds the limit.
    case tooLarge(limit: Int)
    /// The library is out of memory, or rejects a setting or a dictionary.
    case notAvailable(operation: String)

    /// The error as one line of text for the user.
    package var description: String {
        switch self {
        case .invalid: "the compressed data is invalid"
        case .tooLarge(let limit): "the data is larger than \(limit) bytes"
        case .notAvailable(let operation): "\(operation) failed"
        }
    }
}
