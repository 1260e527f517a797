import HTTPTransfer

/// The credentials for one address, which are sent only to its host.
struct HostCredentials: Sendable {
    /// The header fields, which may contain secrets.
    let headers: HTTPHeaders

    /// The file with a client certificate and its key, or nil for none.
    let certificateFile: String?

    /// The address whose host may receive the credentials.
    let url: String

    /// Returns whether `url` has the scheme, host and port of the credentials.
    func belong(to url: String) -> Bool { HTTPRequest.haveSameHost(url, self.url) }
}
