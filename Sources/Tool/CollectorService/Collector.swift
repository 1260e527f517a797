import HTTPServing
package import HostSystem
import Synchronization

/// A collection facility for development and tests: takes batches of tags over HTTP, keeps each tag once, and
/// answers for it only after it is on the disk.
///
/// It begins to listen when it is made, on threads of its own, and ends with `stop`. A folder has one collector.
package final class Collector: Sendable {
    private let core: CollectorCore
    private let server: Mutex<HTTPServer?>

    /// The port that it listens at.
    package let port: UInt16
    /// Whether it speaks HTTPS.
    package let isSecure: Bool
    /// The numeric address that it listens at.
    package let address: String

    /// Reads what the folder holds, repairs it where a crash left half a line, and begins to listen.
    ///
    /// - Parameter clock: the machine's unless a test has its own.
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

    /// Where batches are sent to, such as `http://127.0.0.1:8080/`.
    package var url: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(isSecure ? "https" : "http")://\(host):\(port)/"
    }

    /// What it has taken since its folder was made: the same as `GET /status` says.
    package var status: CollectorStatus { core.status }

    /// How many bytes were removed at the start: what a crash in mid-write left.
    package var repairedByteCount: Int { core.repairedByteCount }

    /// How many lines of its files could not be read.
    package var damagedLineCount: Int { core.damagedLineCount }

    /// How many ids it would know again.
    package var rememberedIDCount: Int { core.rememberedIDCount }

    /// Listens no more, lets what is under way end within `limit`, and closes the rest; blocks meanwhile.
    ///
    /// The folder is free once the collector itself is let go.
    package func stop(within limit: Duration = .seconds(5)) {
        // The last reference to the server goes with the end of this call, and with it what is still open.
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
            // One byte more than any may have.
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
