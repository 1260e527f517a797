/// The address and port of a server in the form that `--listen` takes: `127.0.0.1:8271`, `[::1]:0`, `localhost:0`.
struct ListeningPlace {
    /// The address; an IPv6 address has no brackets.
    let address: String
    /// The port; 0 selects a free port.
    let port: UInt16

    /// Parses an address with a port, and returns nil if the port is missing or invalid.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        address = host == "localhost" ? "127.0.0.1" : String(host)
        self.port = port
    }
}
