/// The connection settings of a request that override those of its client.
package struct ConnectionSettings: Sendable, Hashable {
    /// A PEM file of trusted certificate authorities; nil selects those of the client.
    package var authoritiesFile: String?
    /// A PEM file with a client certificate and its private key; nil for none.
    ///
    /// Like `HTTPRequest.ownHostHeaders`, it is used only for the scheme, host and port of the request's URL.
    package var clientCertificateFile: String?
    /// The `http` URL of a proxy; nil selects the proxies from the environment.
    ///
    /// Errors never contain its user name and password. The proxy resolves host names, so the proxy must refuse names
    /// with private addresses. Numeric addresses are checked here against the request's policy.
    package var proxy: String?
    /// The path of the server's Unix domain socket, at most 107 bytes; nil selects the host of the URL.
    package var socketPath: String?

    /// Creates settings that override nothing.
    package init() {}
}
