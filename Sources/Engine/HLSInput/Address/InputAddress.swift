import HLSPlaylist
import HostSystem

/// Where bytes are read from: a path, an address on the network, or standard input.
package enum InputAddress: Sendable, Hashable {
    /// A file or directory of this machine.
    case path(String)
    /// An `http` or `https` address.
    case network(String)
    /// Standard input, which is read once.
    case standardInput

    /// The address that a user means by an argument.
    ///
    /// `-` is standard input, `http(s)://` the network, `file://` and all else a path.
    package init(argument: String) {
        switch URIReference.scheme(of: argument) {
        case _ where argument == "-": self = .standardInput
        case "http", "https": self = .network(argument)
        case "file": self = .path(URIReference.filePaths(for: argument).first ?? argument)
        default: self = .path(argument)
        }
    }

    /// The address as text, for messages and for resolving relative references.
    package var text: String {
        switch self {
        case .path(let path): path
        case .network(let address): address
        case .standardInput: "-"
        }
    }

    /// The address that a playlist at this address means by a reference (RFC 8216, section 4.1).
    ///
    /// A playlist from the network may not name files of this machine. A playlist that is a file may name files
    /// as they are called or as addresses spell them: `a%20b.ts`, `a.ts?token=1`; the one that is there is meant.
    func resolving(_ reference: String) throws(InputError) -> InputAddress {
        switch self {
        case .network(let playlist):
            let resolved = URIReference.resolve(reference, against: playlist)
            switch URIReference.scheme(of: resolved) {
            case "http", "https": return .network(resolved)
            case "file": throw .forbiddenAddress(reference, playlist: playlist)
            case let scheme: throw .unsupportedScheme(scheme ?? "none", reference: reference)
            }
        case .path, .standardInput:
            let base = if case .path(let path) = self { path } else { "" }
            let resolved = URIReference.resolve(reference, against: base)
            switch URIReference.scheme(of: resolved) {
            case "http", "https": return .network(resolved)
            case nil, "file":
                let paths = URIReference.filePaths(for: resolved)
                let existing = paths.first { FileSystem.byteCount(of: $0) != nil }
                return .path(existing ?? paths.first ?? resolved)
            case let scheme:
                // `12:30.ts` is a name, and so may be `part:1.ts`, which reads like an address.
                let path = URIReference.resolve("./" + reference, against: base)
                if FileSystem.byteCount(of: path) != nil { return .path(path) }
                throw .unsupportedScheme(scheme ?? "none", reference: reference)
            }
        }
    }
}
