import FoundationEssentials
import HTTPTransfer
import HostSystem
import TextForms

/// The invocation, environment and console that every command gets.
struct CommandContext: Sendable {
    let invocation: Invocation
    let environment: [String: String]
    let console: Console

    var operands: [String] { invocation.operands }

    /// Returns an address for output, without its secrets unless the user wants to see them.
    func printable(_ address: String) -> String {
        invocation.isOn(.showSecrets) ? address : PrintableAddress.of(address)
    }

    /// Returns a usage error with this command's usage line.
    func usageError(_ message: String) -> UsageError {
        UsageError(message, command: invocation.command.declaration)
    }

    /// Throws a usage error if there are no operands.
    func requireOperands(_ what: String) throws(UsageError) {
        if operands.isEmpty { throw usageError("no \(what) given") }
    }

    /// Throws a usage error if there are operands.
    func refuseOperands() throws(UsageError) {
        if let first = operands.first { throw usageError("unexpected argument '\(first)'") }
    }

    /// Throws a usage error if the flag of a setting that would have no effect is on the command line.
    ///
    /// Values from the environment and the configuration file apply where they can, and are ignored elsewhere.
    ///
    /// - Parameter reason: The end of the message after the flag, such as `requires --collector`.
    func refuse(_ settings: [Setting], _ reason: String) throws(UsageError) {
        if let given = settings.first(where: invocation.isGiven) {
            throw usageError("\(given.flag) \(reason)")
        }
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

    /// Reads the token that a setting names a file of.
    func token(_ setting: Setting, in file: String) throws(UsageError) -> String {
        let token = String(try text(setting, in: file)[...].trimmed)
        guard Self.isToken(token) else {
            throw usageError("\(setting.flag): '\(file)' does not contain a token of printable ASCII")
        }
        return token
    }

    /// Reads the text of the file that a setting names.
    func text(_ setting: Setting, in file: String) throws(UsageError) -> String {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw usageError("\(setting.flag): cannot read '\(file)'\(Self.readFailure(of: file))")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns the reason why a file could not be read, to follow its name; empty if unknown.
    static func readFailure(of file: String) -> String {
        do throws(SystemError) {
            _ = try FileSystem.firstBytes(of: file, 1)
            return ""
        } catch {
            return ": \(error.reason)"
        }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The output format.
    var format: String { invocation[.format] ?? "text" }

    /// Parses the value of `--listen`.
    func listenAddress(_ text: String, example: String) throws(UsageError) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw usageError("--listen takes an address such as \(example), not '\(text)'")
        }
        return address
    }
}

/// The host address and port of a server in the form that `--listen` takes: `127.0.0.1:8271`, `[::1]:0`,
/// `localhost:0`.
struct ListenAddress {
    /// The address of the host; an IPv6 address has no brackets.
    let host: String
    /// The port; 0 selects a free port.
    let port: UInt16

    /// Parses an address with a port, and returns nil if the port is missing or invalid.
    fileprivate init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        self.host = host == "localhost" ? "127.0.0.1" : String(host)
        self.port = port
    }
}
