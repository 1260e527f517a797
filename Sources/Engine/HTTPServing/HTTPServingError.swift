package import HostSystem

/// An error that prevents a server from starting.
package enum HTTPServingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The address is not numeric.
    case invalidAddress(String)
    /// The port is in use or not permitted, or TLS rejected the certificate and key.
    case notListening(address: String, port: UInt16)
    /// The Unix domain socket cannot be created.
    case noSocket(SystemError)

    /// Whether a retry may succeed without manual changes.
    package var isRetriable: Bool {
        switch self {
        case .invalidAddress: false
        case .notListening, .noSocket: true
        }
    }

    /// A one-line description of the error.
    package var description: String {
        switch self {
        case .invalidAddress(let address): "\(address) is not a numeric address"
        case .notListening(let address, let port): "cannot listen at \(address), port \(port)"
        case .noSocket(let error): error.description
        }
    }
}
