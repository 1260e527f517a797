import FoundationEssentials
import HTTPTransfer
import StreamMonitor
import TextForms

/// The invocation, environment and console that every command gets.
struct CommandContext: Sendable {
    let invocation: Invocation
    let environment: [String: String]
    let console: Console

    var operands: [String] { invocation.operands }

    /// Returns a usage error with this command's usage line.
    func usageError(_ message: String) -> UsageError { UsageError(message, command: invocation.command) }

    /// Throws a usage error if there are no operands.
    func requireOperands(_ what: String) throws(UsageError) {
        if operands.isEmpty { throw usageError("no \(what) given") }
    }

    /// Throws a usage error if there are operands.
    func refuseOperands() throws(UsageError) {
        if let first = operands.first { throw usageError("unexpected argument '\(first)'") }
    }

    /// Returns an HTTP client that trusts the certificate authorities of `--cacert`, if set.
    func makeHTTPClient() throws(UsageError) -> HTTPClient {
        var settings = HTTPClientSettings(userAgent: "dtvr/\(DTVR.version)")
        if let file = invocation[.cacert] {
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw usageError("--cacert: cannot read '\(file)'")
            }
            settings.authoritiesFile = file
        }
        do throws(HTTPTransferError) {
            return try HTTPClient(settings: settings)
        } catch {
            throw usageError("cannot create the HTTP client: \(error)")
        }
    }

    /// Returns the bearer token from `--token-file`, or else from `DTVR_TOKEN`.
    func bearerToken() throws(UsageError) -> String? {
        guard let file = invocation[.tokenFile] else {
            guard let token = environment["DTVR_TOKEN"], !token.isEmpty else { return nil }
            guard Self.isToken(token) else {
                throw usageError("DTVR_TOKEN is not a token of printable ASCII")
            }
            return token
        }
        return try token(.tokenFile, in: file)
    }

    /// Returns the token that authorizes changes to a monitor, or nil without `--listen-token-file`.
    func listenToken() throws(UsageError) -> String? {
        guard let file = invocation[.listenTokenFile] else { return nil }
        let token = try token(.listenTokenFile, in: file)
        guard token.utf8.count >= MonitorAccess.shortestTokenLength else {
            throw usageError(
                "--listen-token-file: the token in '\(file)' is shorter than "
                    + "\(MonitorAccess.shortestTokenLength) characters, so it could be guessed")
        }
        return token
    }

    private func token(_ setting: SettingName, in file: String) throws(UsageError) -> String {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw usageError("--\(setting.rawValue): cannot read '\(file)'")
        }
        let token = String(String(decoding: data, as: UTF8.self)[...].trimmed)
        guard Self.isToken(token) else {
            throw usageError("--\(setting.rawValue): '\(file)' does not contain a token of printable ASCII")
        }
        return token
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The output format.
    var format: String { invocation[.format] ?? "text" }
}
