/// How the connections of a request are made, where that is not the same for all of a client.
package struct ConnectionSettings: Sendable, Hashable {
    /// A PEM file of the authorities that are trusted; nil for those that the client trusts.
    package var authoritiesFile: String?
    /// A PEM file with the certificate that is shown to a server that asks for one, and with its private key; nil for none.
    ///
    /// As `HTTPRequest.ownHostHeaders`, it is for the scheme, host and port of the request's address only.
    package var clientCertificateFile: String?
    /// The `http` address of a proxy; nil for those that the environment names.
    ///
    /// A user and password in it are never part of an error. The proxy looks up the names of hosts, and is the one to
    /// refuse those of private addresses; addresses in numbers are held to the request's policy here.
    package var proxy: String?
    /// The path of the socket in the file system at which the server listens, at most 107 bytes; nil for the address of the request.
    package var socketPath: String?

    /// Connections like all others of the client.
    package init() {}
}
