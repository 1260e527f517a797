import ByteReading
import HTTPTransfer
import HostSystem

/// Fetches the configuration of an app, and keeps the last valid one next to the buffer.
struct ConfigurationLoader: Sendable {
    /// The result of loading.
    struct Outcome: Sendable, Hashable {
        /// The configuration to use, new or kept; nil if there is none.
        var configuration: SessionConfiguration?
        /// The error of the new configuration; nil if there was none.
        var error: SessionErrorCode?
    }

    let source: ConfigurationSource
    let directory: String
    let authoritiesFile: String?

    /// The time limit of a request, in seconds.
    private static let timeLimit = 20

    /// Loads the configuration of an app; blocks while it reads a file, but never beyond the time limit.
    func load(for app: AppIdentity) async -> Outcome {
        var outcome = Outcome()
        switch await bytes() {
        case .success(let bytes):
            if let configuration = SessionConfiguration(json: bytes) {
                cache(bytes, for: app)
                return Outcome(configuration: configuration)
            }
            outcome.error = .configurationJSON
        case .failure(let failure): outcome.error = failure.code
        }
        outcome.configuration = kept(for: app)
        return outcome
    }

    private struct Failure: Error {
        let code: SessionErrorCode
    }

    private func bytes() async -> Result<[UInt8], Failure> {
        switch source {
        case .none: return .failure(Failure(code: .configurationNotReceived))
        case .file(let path):
            do throws(SystemError) {
                let limit = SessionConfiguration.maximumByteCount + 1
                return .success(try FileSystem.firstBytes(of: path, limit))
            } catch {
                return .failure(Failure(code: .configurationNotReceived))
            }
        case .url(let address):
            var settings = HTTPClientSettings(userAgent: "dtvr-player")
            settings.authoritiesFile = authoritiesFile
            var request = HTTPRequest(.get, url: address)
            request.timeLimits.total = Self.timeLimit
            request.bodyLimit = .failing(after: SessionConfiguration.maximumByteCount)
            do throws(HTTPTransferError) {
                let client = try HTTPClient(settings: settings)
                defer { client.close() }
                let response = try await client.send(request)
                guard response.status == 200 else {
                    return .failure(Failure(code: .configurationNotReceived))
                }
                return .success(response.body)
            } catch {
                return .failure(Failure(code: .configurationNotReceived))
            }
        }
    }

    // MARK: The last valid configuration

    /// Returns the path of the app's file, whose name reveals nothing about the app.
    private func path(for app: AppIdentity) -> String {
        let digest = Digest.sha256(Array("\(app.appID)\u{0}\(app.facility)".utf8))
        return "\(directory)/configuration-\(Hexadecimal.text(digest.prefix(8))).json"
    }

    private func kept(for app: AppIdentity) -> SessionConfiguration? {
        do throws(SystemError) {
            let bytes = try FileSystem.firstBytes(
                of: path(for: app), SessionConfiguration.maximumByteCount + 1)
            return SessionConfiguration(json: bytes)
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
