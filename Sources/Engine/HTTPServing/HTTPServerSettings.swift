/// Where a server listens, and the bounds that it holds its clients to.
package struct HTTPServerSettings: Sendable, Hashable {
    /// The numeric address to listen at.
    package var address = "127.0.0.1"
    /// The port to listen at; 0 for a free one, which `HTTPServer.port` tells.
    package var port: UInt16 = 0
    /// The path of a socket in the file system to listen at in place of an address; only its owner may connect to it.
    package var socketPath: String?
    /// With one the server speaks HTTPS only.
    package var identity: TLSIdentity?
    /// How many connections may be open at once; beyond, the one that has stood still for longest is closed.
    package var maximumConnectionCount = 64
    /// A connection on which no byte moves for so many seconds is closed, and one whose client does not read its answer.
    package var idleSeconds = 30
    /// The first header of a connection has so many seconds to arrive in.
    package var headerSeconds = 10
    /// Each later header has so many seconds to arrive in, from the end of the request before.
    package var keepAliveSeconds = 30
    /// A body has so many seconds to arrive in.
    package var bodySeconds = 60

    /// Plain HTTP at a free port of this machine.
    package init() {}

    /// What a server shows who it is with.
    package struct TLSIdentity: Sendable, Hashable {
        /// The certificate and those above it, as PEM text.
        package let certificate: [UInt8]
        /// The certificate's private key, as PEM text without a password.
        package let privateKey: [UInt8]

        /// A certificate and its key; nil where one of them is empty or has a zero byte, and so is no text.
        package init?(certificate: [UInt8], privateKey: [UInt8]) {
            guard !certificate.isEmpty, !privateKey.isEmpty, !certificate.contains(0), !privateKey.contains(0)
            else { return nil }
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }
}
