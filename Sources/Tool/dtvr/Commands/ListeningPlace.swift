/// The address and the port of a server, as `--listen` takes them: `127.0.0.1:8271`, `[::1]:0`, `localhost:0`.
struct ListeningPlace {
    /// The address, without the brackets of an IPv6 one.
    let address: String
    /// The port; 0 for a free one.
    let port: UInt16

    /// The place that a text names; nil where it has no port.
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
