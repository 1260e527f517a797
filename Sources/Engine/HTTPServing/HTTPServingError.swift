package import HostSystem

/// Why a server does not start.
package enum HTTPServingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address is not a numeric one.
    case invalidAddress(String)
    /// The port is taken or not allowed, or TLS did not start with that certificate and key.
    case notListening(address: String, port: UInt16)
    /// The socket in the file system cannot be made.
    case noSocket(SystemError)

    /// Whether the same call may succeed later without anything having been changed by hand.
    package var isRetriable: Bool {
        switch self {
        case .invalidAddress: false
        case .notListening, .noSocket: true
        }
    }

    /// The error as one line for people.
    package var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not a numeric address"
        case .notListening(let address, let port): "cannot listen at \(address), port \(port)"
        case .noSocket(let error): error.description
        }
    }
}
