import HTTPServing
package import HostSystem
import Synchronization

/// A collector, which receives batches of tags over HTTP and stores each tag once.
///
/// It acknowledges a batch only after its tags are durable. The initializer starts listening on separate threads, and
/// `stop` ends that. A folder, for development and tests, can have only one collector at a time, a ledger any number.
package final class Collector: Sendable {
    private let core: CollectorCore
    private let server: Mutex<HTTPServer?>

    /// The listening port.
    package let port: UInt16
    /// Whether the collector serves HTTPS.
    package let isSecure: Bool
    /// The numeric listening address.
    package let address: String

    /// Starts to listen, after it has loaded the folder and removed incomplete lines that a crash left.
    ///
    /// An unreachable ledger does not throw: the collector refuses batches until it is reachable.
    ///
    /// - Parameters:
    ///   - clock: The clock to use; tests replace it.
    ///   - report: Gets a line when a problem of the ledger starts, changes or ends.
    package init(
        settings: CollectorSettings, clock: any HostClock = .system,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(CollectorError) {
        var listening = HTTPServerSettings()
        listening.address = settings.address
        listening.port = settings.port
        listening.identity = try Self.identity(settings)
        listening.maximumConnectionCount = settings.maximumConnectionCount
        listening.idleSeconds = settings.idleSeconds
        listening.bodySeconds = settings.bodySeconds
        let core = try CollectorCore(settings: settings, clock: clock, report: report)
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

    /// The totals as in `GET /status`: since the folder was created, or since this collector of a ledger started.
    package var status: CollectorStatus { core.status }

    /// The number of bytes removed on start, left by a crash during a write.
    package var repairedByteCount: Int { core.archive?.repairedByteCount ?? 0 }

    /// The number of unreadable lines in the archive's files.
    package var damagedLineCount: Int { core.archive?.damagedLineCount ?? 0 }

    /// The number of IDs that the collector recognizes as duplicates.
    package var rememberedIDCount: Int { core.archive?.rememberedIDCount ?? 0 }

    /// The memory that the batches in progress use, and the largest one so far.
    var memoryUsage: (current: Int, peak: Int) { core.budget.memoryUsage }

    /// The number of batches in progress.
    var batchCount: Int { core.budget.batchCount }

    /// Checks the ledger on a separate thread, and reports its problem, if any.
    package func checkLedger() throws(SystemError) {
        guard let ledger = core.ledger else { return }
        try HostThread.start(name: "dtvr-check") { _ = ledger.readiness() }
    }

    /// Replaces the tokens, for all later requests.
    package func replaceTokens(_ new: CollectorTokens?) { core.replaceTokens(new) }

    /// Stops listening, waits up to `limit` for requests in progress, and closes all connections.
    ///
    /// It blocks. The folder stays locked until the collector is released. A batch that waits for the ledger after half
    /// of the limit fails, and its sender keeps it.
    package func stop(within limit: Duration = .seconds(5)) {
        guard let server = server.withLock({ $0.take() }) else { return }
        // Releasing the server at the end of this call closes the remaining connections.
        if server.stopListening(waitingAtMost: limit / 2) { return }
        core.interrupt()
        if server.stopListening(waitingAtMost: limit / 2) { return }
        // A thread may be connecting to a database that does not answer. The process is about to end, so the server
        // stays, instead of waiting for that thread.
        _ = unsafe Unmanaged.passRetained(server)
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
