package import HTTPServing
package import HostSystem

/// An error that prevents a collector from starting or storing a batch.
package enum CollectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A failed system call.
    case system(SystemError)
    /// The folder is in use by another collector.
    case inUse(path: String)
    /// The server cannot start.
    case notServing(HTTPServingError)
    /// The certificate or key file is missing, unreadable, invalid or larger than 1 MiB.
    case invalidCertificate(path: String)
    /// The ledger cannot be used.
    case ledger(LedgerError)

    /// Whether a retry may succeed without manual changes.
    package var isRetriable: Bool {
        switch self {
        case .system(let error): error.isRetriable
        case .notServing(let error): error.isRetriable
        case .inUse: true
        case .invalidCertificate, .ledger: false
        }
    }

    /// A one-line description of the error.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .inUse(let path): "another collector is using \(path)"
        case .notServing(let error): error.description
        case .ledger(let error): error.description
        case .invalidCertificate(let path): "\(path) is not a usable certificate or private key"
        }
    }

    /// Calls `body`, and converts its error to a collector error.
    static func wrapping<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(CollectorError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
