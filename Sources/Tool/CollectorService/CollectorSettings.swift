import HTTPServing

/// The address, storage, limits and faults of a collector.
package struct CollectorSettings: Sendable, Hashable {
    /// The storage of accepted tags.
    package enum Storage: Sendable, Hashable {
        /// Files in a folder, used by this collector only; created if missing.
        case folder(String)
        /// A database, which any number of collectors share.
        case ledger(LedgerAddress)
    }

    /// The storage of accepted tags.
    package let storage: Storage
    /// The numeric listening address.
    package var address = "127.0.0.1"
    /// The listening port; 0 selects a free port, which `Collector.port` reports.
    package var port: UInt16 = 0
    /// A PEM file with the certificate chain; together with `privateKeyFile`, it selects HTTPS.
    package var certificateFile: String?
    /// A PEM file with the private key, without a password.
    package var privateKeyFile: String?
    /// The valid tokens of `Authorization: Bearer`; nil disables authorization.
    package var tokens: CollectorTokens?
    /// The maximum size of a body as sent, in bytes.
    package var maximumBodyByteCount = 4 << 20
    /// The maximum size of a decoded body, in bytes.
    package var maximumDecodedByteCount = 32 << 20
    /// The maximum number of tags in a batch.
    package var maximumTagCount = 20_000
    /// The maximum size of a tag's line, in bytes.
    package var maximumLineByteCount = 256 << 10
    /// The memory for all batches in progress, in bytes.
    package var memoryByteCount = 512 << 20
    /// The time that a batch waits for memory.
    var memoryWait = Duration.seconds(10)
    /// The maximum number of open connections.
    var maximumConnectionCount = 64
    /// The time without traffic after which a connection is closed, in seconds.
    var idleSeconds = HTTPServerSettings().idleSeconds
    /// The time limit for a body, in seconds.
    var bodySeconds = HTTPServerSettings().bodySeconds
    /// The deliberate faults; empty for correct behavior.
    package var faults: [ScriptedFault] = []

    /// Creates default settings for a folder.
    package init(folder: String) { storage = .folder(folder) }

    /// Creates default settings for a ledger.
    package init(ledger: LedgerAddress) {
        storage = .ledger(ledger)
        // A team's senders are many, and most of them are idle.
        maximumConnectionCount = 256
    }
}
