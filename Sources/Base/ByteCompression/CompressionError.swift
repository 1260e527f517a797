/// Why bytes could not be compressed or brought back.
package enum CompressionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The compressed bytes end too soon, or are not of their format.
    case invalid
    /// More comes out than may.
    case tooLarge(limit: Int)
    /// The library has no memory, or refuses a setting or a dictionary.
    case notAvailable(operation: String)

    /// Whether the same call may succeed later without anything having been changed by hand.
    package var isRetriable: Bool {
        switch self {
        case .invalid, .tooLarge: false
        case .notAvailable: true
        }
    }

    /// The error as one line for people.
    package var description: String {
        switch self {
        case .invalid: "the compressed data is invalid"
        case .tooLarge(let limit): "the data is larger than \(limit) bytes"
        case .notAvailable(let operation): "\(operation) failed"
        }
    }
}
