import ByteReading
import HTTPTransfer
import HostSystem
import TextForms

/// Fetches the configuration of an app, and keeps the last valid one next to the buffer.
struct ConfigurationLoader: Sendable {
    /// The result of loading.
    struct Outcome: Sendable, Hashable {
        /// The configuration to use, new or kept; nil if there is none.
        var configuration: SessionConfiguration?
        /// The problems, each with the file or the address.
        var problems: [ConfigurationProblem] = []
        /// Whether another attempt may succeed, because the address did not answer with a valid configuration.
        var isRetried = false
    }

    let source: ConfigurationSource
    let directory: String
    let authoritiesFile: String?

    /// The time limit of a request, in seconds.
    private static let timeLimit = 20

    /// Loads the configuration of an app; blocks while it reads a file, but never beyond the time limit.
    func load(for app: AppIdentity) async -> Outcome {
        var outcome = Outcome()
        do throws(ConfigurationProblem) {
            let bytes = try await bytes(for: app)
            outcome.configuration = try SessionConfiguration(json: bytes)
            cache(bytes, for: app)
        } catch {
            outcome.problems = [error]
            if case .url = source { outcome.isRetried = true }
            outcome.configuration = kept(for: app)
            if outcome.configuration != nil {
                // The next launch asks again.
                outcome.isRetried = false
                outcome.problems[0].text += "; the last valid configuration is used"
            }
        }
        outcome.problems += outcome.configuration?.problems(for: app.facility) ?? []
        for index in outcome.problems.indices {
            outcome.problems[index].text = "\(place): \(outcome.problems[index].text)"
        }
        return outcome
    }

    /// The file or the address, without secrets.
    private var place: String {
        switch source {
        case .none: "configuration"
        case .file(let path): path
        case .url(let address): HTTPRequest.withoutSecrets(address)
        }
    }

    private func bytes(for app: AppIdentity) async throws(ConfigurationProblem) -> [UInt8] {
        switch source {
        case .none: throw ConfigurationProblem(.configurationNotReceived, "none is named")
        case .file(let path):
            do throws(SystemError) {
                return try FileSystem.firstBytes(of: path, SessionConfiguration.maximumByteCount + 1)
            } catch {
                throw ConfigurationProblem(.configurationNotReceived, error.reason)
            }
        case .url(let address):
            var settings = HTTPClientSettings(userAgent: "dtvr-player")
            settings.authoritiesFile = authoritiesFile
            let response: HTTPResponse
            do throws(HTTPTransferError) {
                let client = try HTTPClient(settings: settings)
                defer { client.close() }
                response = try await client.send(
                    Self.request(for: Self.address(address, for: app)))
            } catch {
                throw ConfigurationProblem(.configurationNotReceived, error.reason)
            }
            guard response.status == 200 else {
                throw ConfigurationProblem(.configurationNotReceived, "status \(response.status)")
            }
            return response.body
        }
    }

    /// Returns an address with the id of the app in place of `{appid}`.
    ///
    /// The server has a configuration for each application (guide 002, 5.3).
    static func address(_ address: String, for app: AppIdentity) -> String {
        let parts = address.split(separator: "{appid}", omittingEmptySubsequences: false)
        return parts.joined(separator: PercentEncoding.encoded(app.appID))
    }

    /// Returns the request of a configuration, limited in time and size.
    static func request(for address: String) -> HTTPRequest {
        var request = HTTPRequest(.get, url: address)
        request.timeLimits.total = timeLimit
        request.bodyLimit = .failing(after: SessionConfiguration.maximumByteCount)
        return request
    }

    // MARK: The last valid configuration

    /// Returns the path of the app's file, whose name reveals nothing about the app.
    private func path(for app: AppIdentity) -> String {
        let digest = Digest.sha256(Array("\(app.appID)\u{0}\(app.facility)".utf8))
        return "\(directory)/configuration-\(Hexadecimal.text(digest.prefix(8))).json"
    }

    private func kept(for app: AppIdentity) -> SessionConfiguration? {
        do {
            let bytes = try FileSystem.firstBytes(
                of: path(for: app), SessionConfiguration.maximumByteCount + 1)
            return try SessionConfiguration(json: bytes)
        } catch {
            return nil
        }
    }

    private func cache(_ bytes: [UInt8], for app: AppIdentity) {
        do throws(SystemError) {
            try FileSystem.makeDirectory(directory)
            try FileSystem.replace(path(for: app), with: bytes)
        } catch {
            // The next launch fetches it again.
        }
    }
}
