package import HostSystem

/// Why a collector does not start, or cannot keep what it is sent.
package enum CollectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call of the operating system failed.
    case system(SystemError)
    /// Another collector has the folder.
    case inUse(path: String)
    /// The address is not a numeric one.
    case invalidAddress(String)
    /// One of certificate and key is missing, or too large to be one.
    case invalidCertificate(path: String)
    /// The port is taken or not allowed, or TLS did not start with that certificate and key.
    case notListening(address: String, port: UInt16)
    /// The token is empty.
    case emptyToken

    /// Whether the same call may succeed later without anything having been changed by hand.
    package var isRetriable: Bool {
        switch self {
        case .system, .inUse, .notListening: true
        case .invalidAddress, .invalidCertificate, .emptyToken: false
        }
    }

    /// The error as one line for people.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .inUse(let path): "another collector has \(path)"
        case .invalidAddress(let address): "\(address) is not a numeric address"
        case .invalidCertificate(let path): "\(path) is not a certificate or key that can be used"
        case .notListening(let address, let port): "cannot listen at \(address), port \(port)"
        case .emptyToken: "the token is empty"
        }
    }

    /// What `body` returns, its failure as one of the collector.
    static func wrapping<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(CollectorError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
