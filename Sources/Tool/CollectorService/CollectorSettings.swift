/// The address, folder, limits and faults of a collector.
package struct CollectorSettings: Sendable, Hashable {
    /// The folder for accepted tags, used by this collector only; created if missing.
    package var folder: String
    /// The numeric listening address.
    package var address = "127.0.0.1"
    /// The listening port; 0 selects a free port, which `Collector.port` reports.
    package var port: UInt16 = 0
    /// A PEM file with the certificate chain; together with `privateKeyFile`, it selects HTTPS.
    package var certificateFile: String?
    /// A PEM file with the private key, without a password.
    package var privateKeyFile: String?
    /// The token that every request must send as `Authorization: Bearer`; nil disables authorization.
    package var bearerToken: String?
    /// The maximum size of a body as sent, in bytes.
    package var maximumBodyByteCount = 4 << 20
    /// The maximum size of a decoded body, in bytes.
    package var maximumDecodedByteCount = 32 << 20
    /// The maximum number of tags in a batch.
    package var maximumTagCount = 20_000
    /// The maximum size of a tag's line, in bytes.
    package var maximumLineByteCount = 256 << 10
    /// The maximum number of open connections.
    var maximumConnectionCount = 64
    /// The time without traffic after which a connection is closed, in seconds.
    var idleSeconds = 30
    /// The deliberate faults; empty for correct behavior.
    package var faults: [ScriptedFault] = []

    /// Creates default settings for a folder.
    package init(folder: String) {
        self.folder = folder
    }
}
