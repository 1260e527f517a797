import HTTPTransfer

/// What a user names with an address, and only its host may see.
struct HostCredentials: Sendable {
    /// Header fields; they may be secrets.
    let headers: HTTPHeaders

    /// The file with a certificate and its key; nil for none.
    let certificateFile: String?

    /// The address that they were named with.
    let url: String

    /// Whether an address has the scheme, host and port that they are for.
    func belong(to url: String) -> Bool { HTTPRequest.haveSameHost(url, self.url) }
}
