/// The settings that all requests of a client share.
public struct HTTPClientSettings: Sendable, Hashable {
    /// The `User-Agent`, such as `dtvr/1.0`.
    public var userAgent: String
    /// A PEM file of trusted certificate authorities; nil selects those of the system.
    public var authoritiesFile: String?
    /// The maximum number of concurrent requests, which usually have a connection each; further requests wait.
    ///
    /// It is also the maximum number of idle connections that stay open.
    public var maximumConnectionCount = 512
    /// The maximum number of concurrent requests to one host.
    public var maximumConnectionCountPerHost = 64
    /// The number of unread bytes at which a stream pauses its sender.
    public var streamBufferByteCount = 256 << 10

    /// Creates default settings with a `User-Agent`.
    public init(userAgent: String) {
        self.userAgent = userAgent
    }
}
