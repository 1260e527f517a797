import HTTPTransfer

/// Header fields that a user names with an address, and that only its host may see.
struct HostHeaders: Sendable {
    /// The fields; they may be secrets.
    let fields: HTTPHeaders

    /// The address that they were named with.
    let url: String

    /// Whether an address has the scheme, host and port that they are for.
    func belong(to url: String) -> Bool { HTTPRequest.haveSameHost(url, self.url) }
}
