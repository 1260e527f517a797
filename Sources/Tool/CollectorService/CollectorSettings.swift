/// Where a collector listens, what it keeps, and the bounds that it holds its callers to.
package struct CollectorSettings: Sendable, Hashable {
    /// The folder of its own for what it accepts; made where it is missing.
    package var folder: String
    /// The numeric address to listen at: `127.0.0.1` unless something else is wanted.
    package var address = "127.0.0.1"
    /// The port to listen at; 0 for a free one, which `Collector.port` tells.
    package var port: UInt16 = 0
    /// A PEM file of the certificate and those above it; with `privateKeyFile` the collector speaks HTTPS only.
    package var certificateFile: String?
    /// A PEM file of the certificate's private key, without a password.
    package var privateKeyFile: String?
    /// The token that every request must bring as `Authorization: Bearer`; nil asks for none.
    package var bearerToken: String?
    /// What a body may have as it is sent.
    package var maximumBodyByteCount = 4 << 20
    /// What a body may have once it is decoded.
    package var maximumDecodedByteCount = 32 << 20
    /// How many tags a batch may have.
    package var maximumTagCount = 20_000
    /// What the line of one tag may have.
    package var maximumLineByteCount = 256 << 10
    /// How many connections may be open at once.
    package var maximumConnectionCount = 64
    /// After how many seconds without a byte a connection is closed.
    package var idleSeconds = 30
    /// What goes wrong on purpose; empty for a collector that behaves.
    package var faults: [ScriptedFault] = []

    /// The usual settings, with that folder.
    package init(folder: String) {
        self.folder = folder
    }
}
