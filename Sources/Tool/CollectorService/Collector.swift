import HTTPServing
package import HostSystem
import Synchronization

/// A collector for development and tests, which receives batches of tags over HTTP and stores each tag once.
///
/// It acknowledges a batch only after its tags are on disk. The initializer starts listening on separate threads, and
/// `stop` ends that. A folder can have only one collector at a time.
package final class Collector: Sendable {
    private let core: CollectorCore
    private let server: Mutex<HTTPServer?>

    /// The listening port.
    package let port: UInt16
    /// Whether the collector serves HTTPS.
    package let isSecure: Bool
    /// The numeric listening address.
    package let address: String

    /// Loads the folder, removes incomplete lines that a crash left, and starts to listen.
    ///
    /// - Parameter clock: The clock to use; tests replace it.
    package init(
        settings: CollectorSettings, clock: any HostClock = .system
    ) throws(CollectorError) {
        if settings.bearerToken?.isEmpty == true { throw .emptyToken }
        var listening = HTTPServerSettings()
        listening.address = settings.address
        listening.port = settings.port
        listening.identity = try Self.identity(settings)
        listening.maximumConnectionCount = settings.maximumConnectionCount
        listening.idleSeconds = settings.idleSeconds
        let core = try CollectorCore(settings: settings, clock: clock)
        let server: HTTPServer
        do throws(HTTPServingError) {
            server = try HTTPServer(listening) { CollectorRequest($0, core: core) }
        } catch {
            throw .notServing(error)
        }
        self.core = core
        port = server.port
        self.server = Mutex(server)
        isSecure = listening.identity != nil
        address = settings.address
    }

    /// The URL for batches, such as `http://127.0.0.1:8080/`.
    package var url: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(isSecure ? "https" : "http")://\(host):\(port)/"
    }

    /// The totals since the folder was created, as in `GET /status`.
    package var status: CollectorStatus { core.status }

    /// The number of bytes removed on start, left by a crash during a write.
    package var repairedByteCount: Int { core.repairedByteCount }

    /// The number of unreadable lines in the archive's files.
    package var damagedLineCount: Int { core.damagedLineCount }

    /// The number of IDs that the collector recognizes as duplicates.
    package var rememberedIDCount: Int { core.rememberedIDCount }

    /// Stops listening, waits up to `limit` for requests in progress, and closes all connections.
    ///
    /// It blocks. The folder stays locked until the collector is released.
    package func stop(within limit: Duration = .seconds(5)) {
        // Releasing the server at the end of this call closes the remaining connections.
        server.withLock { $0.take() }?.stopListening(waitingAtMost: limit)
    }

    private static func identity(
        _ settings: CollectorSettings
    ) throws(CollectorError) -> HTTPServerSettings.TLSIdentity? {
        if settings.certificateFile == nil && settings.privateKeyFile == nil { return nil }
        guard let certificateFile = settings.certificateFile, let privateKeyFile = settings.privateKeyFile
        else { throw .invalidCertificate(path: "(none given)") }
        let certificate = try pem(certificateFile)
        let privateKey = try pem(privateKeyFile)
        return HTTPServerSettings.TLSIdentity(certificate: certificate, privateKey: privateKey)
    }

    private static func pem(_ path: String) throws(CollectorError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            // One byte more than the limit, to detect larger files.
            bytes = try FileSystem.firstBytes(of: path, (1 << 20) + 1)
        } catch {
            throw .invalidCertificate(path: path)
        }
        guard (1...1 << 20).contains(bytes.count), !bytes.contains(0) else {
            throw .invalidCertificate(path: path)
        }
        return bytes
    }
}
