import FoundationEssentials
import HTTPTransfer
import StreamMonitor
import TextForms

/// What every command is given.
struct CommandContext: Sendable {
    let invocation: Invocation
    let environment: [String: String]
    let console: Console

    var operands: [String] { invocation.operands }

    /// The error of a call that is wrong, with this command's usage line.
    func usageError(_ message: String) -> UsageError { UsageError(message, command: invocation.command) }

    /// Ends with an error where there are no operands.
    func requireOperands(_ what: String) throws(UsageError) {
        if operands.isEmpty { throw usageError("no \(what) given") }
    }

    /// Ends with an error where there are operands.
    func refuseOperands() throws(UsageError) {
        if let first = operands.first { throw usageError("unexpected argument '\(first)'") }
    }

    /// A client for requests, with the authorities that the user trusts.
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
            throw usageError("requests cannot be made: \(error)")
        }
    }

    /// The bearer token: that of the file, else that of DTVR_TOKEN.
    func bearerToken() throws(UsageError) -> String? {
        guard let file = invocation[.tokenFile] else {
            guard let token = environment["DTVR_TOKEN"], !token.isEmpty else { return nil }
            guard Self.isToken(token) else {
                throw usageError("DTVR_TOKEN holds no token of printable ASCII")
            }
            return token
        }
        return try token(.tokenFile, in: file)
    }

    /// The token that whoever wants to change a monitor must have; nil where no file is named.
    func listenToken() throws(UsageError) -> String? {
        guard let file = invocation[.listenTokenFile] else { return nil }
        let token = try token(.listenTokenFile, in: file)
        guard token.utf8.count >= MonitorAccess.shortestTokenLength else {
            throw usageError(
                "--listen-token-file: the token in '\(file)' is shorter than "
                    + "\(MonitorAccess.shortestTokenLength) characters, and could be guessed")
        }
        return token
    }

    private func token(_ setting: SettingName, in file: String) throws(UsageError) -> String {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw usageError("--\(setting.rawValue): cannot read '\(file)'")
        }
        let token = String(String(decoding: data, as: UTF8.self)[...].trimmed)
        guard Self.isToken(token) else {
            throw usageError("--\(setting.rawValue): '\(file)' holds no token of printable ASCII")
        }
        return token
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The form of output.
    var format: String { invocation[.format] ?? "text" }
}
