/// What all requests of a client share.
public struct HTTPClientSettings: Sendable, Hashable {
    /// The `User-Agent`, such as `dtvr/1.0`.
    public var userAgent: String
    /// A PEM file of the authorities that are trusted instead of the system's; nil for the system's.
    public var authoritiesFile: String?
    /// How many requests may run at once, each on a connection of its own as a rule; one beyond them waits.
    ///
    /// As many connections are kept open.
    public var maximumConnectionCount = 512
    /// How many of them may run to one host.
    public var maximumConnectionCountPerHost = 64
    /// How many bytes a stream holds that nobody has taken yet before the sender is made to wait.
    public var streamBufferByteCount = 256 << 10

    /// The usual settings under that name.
    public init(userAgent: String) {
        self.userAgent = userAgent
    }
}
