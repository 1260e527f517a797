import HLSPlaylist
import HostSystem

/// The location of input bytes: a path, a network address, standard input, or memory.
package enum InputAddress: Sendable, Hashable {
    /// A local file or directory.
    case path(String)
    /// An `http` or `https` address.
    case network(String)
    /// A `data:` URI, which contains the bytes (RFC 2397).
    case data(String)
    /// Bytes in memory.
    case memory([UInt8])
    /// Standard input, which can be read only once.
    case standardInput

    /// Interprets a command-line argument as an address.
    ///
    /// `-` is standard input, `http://` and `https://` are network addresses, and everything else is a path, including
    /// `file://` URIs.
    package init(argument: String) {
        switch URIReference.scheme(of: argument) {
        case _ where argument == "-": self = .standardInput
        case "http", "https": self = .network(argument)
        case "file": self = .path(URIReference.filePaths(for: argument).first ?? argument)
        default: self = .path(argument)
        }
    }

    /// Whether the address contains the bytes.
    var isData: Bool { if case .data = self { true } else { false } }

    /// The address as text, for messages and as the base of relative references.
    package var text: String {
        switch self {
        case .path(let path): path
        case .network(let address): address
        // The content may be a key.
        case .data: "data:…"
        case .standardInput: "-"
        case .memory: "memory"
        }
    }

    /// Returns the address of a reference in a playlist at this address (RFC 8216, section 4.1).
    ///
    /// A playlist from the network may not reference local files. A local playlist may reference files by name or
    /// percent-encoded with a query: `a%20b.ts`, `a.ts?token=1`. Of the possible paths, the first existing one is used.
    func resolving(_ reference: String) throws(InputError) -> InputAddress {
        if URIReference.scheme(of: reference) == "data" { return .data(reference) }
        switch self {
        case .network(let playlist):
            let resolved = URIReference.resolve(reference, against: playlist)
            switch URIReference.scheme(of: resolved) {
            case "http", "https": return .network(URIReference.encodingInvalid(resolved))
            case "file": throw .forbiddenAddress(reference, playlist: playlist)
            case let scheme: throw .unsupportedScheme(scheme ?? "none", reference: reference)
            }
        case .path, .data, .standardInput, .memory:
            let base = if case .path(let path) = self { path } else { "" }
            let resolved = URIReference.resolve(reference, against: base)
            switch URIReference.scheme(of: resolved) {
            case "http", "https": return .network(URIReference.encodingInvalid(resolved))
            case nil, "file":
                let paths = URIReference.filePaths(for: resolved)
                let existing = paths.first { FileSystem.byteCount(of: $0) != nil }
                return .path(existing ?? paths.first ?? resolved)
            case let scheme:
                // `12:30.ts` is a file name, and so may be `part:1.ts`, although it parses as a URI with a scheme.
                let path = URIReference.resolve("./" + reference, against: base)
                if FileSystem.byteCount(of: path) != nil { return .path(path) }
                throw .unsupportedScheme(scheme ?? "none", reference: reference)
            }
        }
    }
}
