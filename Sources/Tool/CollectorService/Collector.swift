import Foundation
package import HostSystem
import Synchronization

/// A collection facility for development and tests: takes batches of tags over HTTP, keeps each tag once, and
/// answers for it only after it is on the disk.
///
/// It begins to listen when it is made, on threads of its own, and ends with `stop`. A folder has one collector.
package final class Collector: Sendable {
    private let core: CollectorCore
    private let daemon: Mutex<CollectorDaemon?>

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
        if (settings.certificateFile == nil) != (settings.privateKeyFile == nil) {
            throw .invalidCertificate(path: "(none given)")
        }
        let certificate = try Self.pem(settings.certificateFile)
        let privateKey = try Self.pem(settings.privateKeyFile)
        core = try CollectorCore(settings: settings, clock: clock)
        let daemon = try CollectorDaemon(core: core, certificate: certificate, privateKey: privateKey)
        port = daemon.port
        self.daemon = Mutex(daemon)
        isSecure = certificate != nil
        address = settings.address
    }

    /// Where batches are sent to, such as `http://127.0.0.1:8080/`.
    package var url: String {
        let host = address.contains(":") ? "[\(address)]" : address
        return "\(isSecure ? "https" : "http")://\(host):\(port)/"
    }

    /// What it has taken since its folder was made: the same as `GET /status` says.
    package var status: CollectorStatus { core.status }

    /// How many bytes were cut off at the start: what a crash in mid-write left.
    package var repairedByteCount: Int { core.repairedByteCount }

    /// How many lines of its files could not be read.
    package var damagedLineCount: Int { core.damagedLineCount }

    /// How many ids it would know again.
    package var rememberedIDCount: Int { core.rememberedIDCount }

    /// Listens no more, lets what is under way end within `seconds`, and closes the rest; blocks meanwhile.
    ///
    /// The folder is free once the collector itself is let go.
    package func stop(within seconds: Double = 5) {
        let last = daemon.withLock { $0.take() }
        guard let last else { return }
        last.stopListening()
        last.waitUntilIdle(seconds: seconds)
    }

    private static func pem(_ path: String?) throws(CollectorError) -> [UInt8]? {
        guard let path else { return nil }
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            guard (1...1 << 20).contains(data.count), !data.contains(0) else {
                throw CollectorError.invalidCertificate(path: path)
            }
            return Array(data)
        } catch {
            throw .invalidCertificate(path: path)
        }
    }
}
