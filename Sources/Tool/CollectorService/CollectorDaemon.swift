import CDTVRMicroHTTPD
import Glibc

/// The owner of libmicrohttpd's daemon: a thread a connection, so that a slow peer holds up nobody else and a
/// handler may wait for the disk.
@safe final class CollectorDaemon: @unchecked Sendable {
    // Sendable: the pointer is set in init and read afterwards; `MHD_stop_daemon`, in deinit, returns only once
    // every thread that could use it is done.

    private let daemon: OpaquePointer
    let port: UInt16
    /// What the callbacks are given: alive until after the daemon has stopped.
    private let handler: ConnectionHandler

    init(core: CollectorCore, certificate: [UInt8]?, privateKey: [UInt8]?) throws(CollectorError) {
        let settings = core.settings
        let handler = ConnectionHandler(core: core)
        self.handler = handler
        let listening = CollectorError.notListening(address: settings.address, port: settings.port)
        guard var address = ListeningAddress(settings.address, port: settings.port) else {
            throw .invalidAddress(settings.address)
        }
        var flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
            | MHD_USE_POLL.rawValue | MHD_USE_ITC.rawValue
        if address.isIPv6 { flags |= MHD_USE_IPv6.rawValue }
        if certificate != nil { flags |= MHD_USE_TLS.rawValue }
        // Each holds its bytes, ended by a zero, for as long as the daemon starts; it keeps copies of its own.
        var certificate = (certificate ?? []) + [0]
        var privateKey = (privateKey ?? []) + [0]
        var priorities = Array("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2".utf8) + [0]
        let isTLS = certificate.count > 1
        let context = unsafe Unmanaged.passUnretained(handler).toOpaque()
        let started = unsafe address.withPointer { address in
            unsafe certificate.withUnsafeMutableBytes { certificate in
                unsafe privateKey.withUnsafeMutableBytes { privateKey in
                    unsafe priorities.withUnsafeMutableBytes { priorities -> OpaquePointer? in
                        var options = unsafe [
                            option(MHD_OPTION.SOCK_ADDR, 0, address),
                            option(MHD_OPTION.CONNECTION_LIMIT, settings.maximumConnectionCount, nil),
                            option(MHD_OPTION.CONNECTION_TIMEOUT, settings.idleSeconds, nil),
                            option(MHD_OPTION.CONNECTION_MEMORY_LIMIT, 128 << 10, nil),
                            option(
                                MHD_OPTION.NOTIFY_COMPLETED,
                                Int(
                                    bitPattern: unsafeBitCast(
                                        ConnectionHandler.completed, to: UnsafeRawPointer.self)),
                                context),
                        ]
                        if isTLS {
                            unsafe options += [
                                option(MHD_OPTION.HTTPS_MEM_CERT, 0, certificate.baseAddress),
                                option(MHD_OPTION.HTTPS_MEM_KEY, 0, privateKey.baseAddress),
                                option(MHD_OPTION.HTTPS_PRIORITIES, 0, priorities.baseAddress),
                            ]
                        }
                        unsafe options.append(option(MHD_OPTION.END, 0, nil))
                        // The options are read before the call returns.
                        return unsafe dtvr_mhd_start(
                            flags, settings.port, ConnectionHandler.access, context, &options)
                    }
                }
            }
        }
        guard let started = unsafe started else { throw listening }
        unsafe daemon = unsafe started
        port = unsafe dtvr_mhd_port(started)
    }

    deinit {
        // Closes what is open and waits for the threads; nothing else has the pointer.
        unsafe MHD_stop_daemon(daemon)
    }

    /// Waits until no request is under way, at most so long.
    func waitUntilIdle(seconds: Double) { handler.waitUntilIdle(seconds: seconds) }

    /// Listens no more; what is open goes on.
    func stopListening() {
        // The daemon is alive. It hands the socket over, which is then ours to close.
        let socket = unsafe MHD_quiesce_daemon(daemon)
        if socket >= 0 { close(socket) }
    }
}

private func option(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer?
) -> MHD_OptionItem {
    // Only the bits are put together here; who starts the daemon answers for the pointer.
    unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}

/// A numeric address and a port as bind() wants them.
struct ListeningAddress {
    private var v4 = sockaddr_in()
    private var v6 = sockaddr_in6()
    let isIPv6: Bool

    init?(_ text: String, port: UInt16) {
        // inet_pton writes the size of the structure that it is given.
        if unsafe inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            isIPv6 = false
        } else if unsafe inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            isIPv6 = true
        } else {
            return nil
        }
    }

    /// The pointer is valid while `body` runs.
    mutating func withPointer<Value>(_ body: (UnsafeMutableRawPointer) -> Value) -> Value {
        if isIPv6 {
            return unsafe withUnsafeMutablePointer(to: &v6) { unsafe body(UnsafeMutableRawPointer($0)) }
        }
        return unsafe withUnsafeMutablePointer(to: &v4) { unsafe body(UnsafeMutableRawPointer($0)) }
    }
}
