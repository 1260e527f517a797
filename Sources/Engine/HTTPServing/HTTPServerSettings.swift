/// The address, identity and limits of a server.
package struct HTTPServerSettings: Sendable, Hashable {
    /// The numeric listening address.
    package var address = "127.0.0.1"
    /// The listening port; 0 selects a free port, which `HTTPServer.port` reports.
    package var port: UInt16 = 0
    /// The path of a Unix domain socket that replaces the address; only its owner can connect.
    package var socketPath: String?
    /// The TLS identity; if set, the server accepts only HTTPS.
    package var identity: TLSIdentity?
    /// The maximum number of open connections; one more closes the least active one.
    package var maximumConnectionCount = 64
    /// Whether one more connection is closed itself if all others are being answered.
    package var keepsAnswers = false
    /// The time after which a connection without traffic, or with an unread answer, is closed, in seconds.
    package var idleSeconds = 30
    /// The time limit for the first header of a connection, in seconds.
    package var headerSeconds = 10
    /// The time limit for each later header, measured from the end of the previous request, in seconds.
    package var keepAliveSeconds = 30
    /// The time limit for a body, in seconds.
    package var bodySeconds = 60

    /// Creates settings for plain HTTP on a free port of the loopback address.
    package init() {}

    /// Returns whether a text is a numeric loopback address.
    package static func isLoopback(_ address: String) -> Bool {
        ListeningAddress(address, port: 0)?.isLoopback ?? false
    }

    /// A server certificate and its private key.
    package struct TLSIdentity: Sendable, Hashable {
        /// The certificate chain as PEM text.
        package let certificate: [UInt8]
        /// The private key as PEM text without a password.
        package let privateKey: [UInt8]

        /// Creates an identity; nil if one of the texts is empty or contains a zero byte.
        package init?(certificate: [UInt8], privateKey: [UInt8]) {
            guard !certificate.isEmpty, !privateKey.isEmpty, !certificate.contains(0), !privateKey.contains(0)
            else { return nil }
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }
}
