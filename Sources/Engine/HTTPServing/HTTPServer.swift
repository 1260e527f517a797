import CDTVRMicroHTTPD
import Glibc
import HostSystem
import Synchronization

/// A small server for HTTP and HTTPS: a thread a connection, so that a slow client holds up nobody else and a handler
/// may block.
///
/// It begins to listen when it is made, and has stopped when it is gone.
@safe package final class HTTPServer: @unchecked Sendable {
    // Sendable: the pointer is set in init and read afterwards; `MHD_stop_daemon`, in deinit, returns only once
    // every thread that could use it is done.

    private let daemon: OpaquePointer
    /// What the callbacks are given: alive until after the daemon has stopped.
    private let connections: Connections

    /// The port that it listens at; 0 for a socket in the file system.
    package let port: UInt16
    private let socketPath: String?
    /// The listening socket, once the server listens no more; -1 before.
    private let quiescedSocket = Mutex<Int32>(-1)

    /// Begins to listen; `handle` is called with the header of each request, on the thread of its connection.
    package init(
        _ settings: HTTPServerSettings,
        handle: @escaping @Sendable (HTTPServerRequest) -> any RequestHandler
    ) throws(HTTPServingError) {
        let open = OpenConnections(settings)
        let connections = Connections(open, handle: handle)
        self.connections = connections
        guard var address = ListeningAddress(settings.address, port: settings.port) else {
            throw .invalidAddress(settings.address)
        }
        var flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
            | MHD_USE_POLL.rawValue | MHD_USE_ITC.rawValue
        let socket = try Self.socket(settings.socketPath)
        socketPath = socket?.path
        if address.isIPv6 { flags |= MHD_USE_IPv6.rawValue }
        if settings.identity != nil { flags |= MHD_USE_TLS.rawValue }
        // Each holds its text, ended by a zero, while the daemon starts; it keeps copies of its own.
        var certificate = (settings.identity?.certificate ?? []) + [0]
        var privateKey = (settings.identity?.privateKey ?? []) + [0]
        var priorities = Array("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2".utf8) + [0]
        let context = unsafe Unmanaged.passUnretained(connections).toOpaque()
        let started = unsafe address.withPointer { address in
            unsafe certificate.withUnsafeMutableBytes { certificate in
                unsafe privateKey.withUnsafeMutableBytes { privateKey in
                    unsafe priorities.withUnsafeMutableBytes { priorities -> OpaquePointer? in
                        let place =
                            if let socket {
                                unsafe option(MHD_OPTION.LISTEN_SOCKET, Int(socket.number), nil)
                            } else {
                                unsafe option(MHD_OPTION.SOCK_ADDR, 0, address)
                            }
                        var options = unsafe [
                            place,
                            // As many again until those that have to end are closed.
                            option(MHD_OPTION.CONNECTION_LIMIT, 2 * settings.maximumConnectionCount, nil),
                            option(
                                MHD_OPTION.NOTIFY_CONNECTION,
                                Int(
                                    bitPattern: unsafeBitCast(
                                        Connections.notified, to: UnsafeRawPointer.self)),
                                context),
                            option(MHD_OPTION.CONNECTION_TIMEOUT, settings.idleSeconds, nil),
                            option(MHD_OPTION.CONNECTION_MEMORY_LIMIT, 128 << 10, nil),
                            option(
                                MHD_OPTION.NOTIFY_COMPLETED,
                                Int(
                                    bitPattern: unsafeBitCast(
                                        Connections.completed, to: UnsafeRawPointer.self)),
                                context),
                        ]
                        if settings.identity != nil {
                            unsafe options += [
                                option(MHD_OPTION.HTTPS_MEM_CERT, 0, certificate.baseAddress),
                                option(MHD_OPTION.HTTPS_MEM_KEY, 0, privateKey.baseAddress),
                                option(MHD_OPTION.HTTPS_PRIORITIES, 0, priorities.baseAddress),
                            ]
                        }
                        unsafe options.append(option(MHD_OPTION.END, 0, nil))
                        // The options are read before the call returns.
                        return unsafe dtvr_mhd_start(
                            flags, settings.port, Connections.access, context, &options)
                    }
                }
            }
        }
        guard let started = unsafe started else {
            // The library may have closed a socket of ours, which then is not ours to close.
            throw .notListening(address: socketPath ?? settings.address, port: settings.port)
        }
        unsafe daemon = unsafe started
        port = unsafe dtvr_mhd_port(started)
        do throws(SystemError) {
            try open.start()
        } catch {
            unsafe MHD_stop_daemon(started)
            throw .notListening(address: socketPath ?? settings.address, port: settings.port)
        }
    }

    deinit {
        connections.endStreams()
        // Closes what is open and waits for the threads; nothing else has the pointer.
        unsafe MHD_stop_daemon(daemon)
        connections.open.stop()
        let socket = quiescedSocket.withLock { $0 }
        if socket >= 0 { close(socket) }
        do throws(SystemError) {
            if let socketPath { try UnixSocket.remove(socketPath) }
        } catch {
            // The next server removes it.
        }
    }

    private static func socket(_ path: String?) throws(HTTPServingError) -> UnixSocket? {
        do throws(SystemError) {
            return try path.map { path throws(SystemError) in try UnixSocket(path: path) }
        } catch {
            throw .noSocket(error)
        }
    }

    /// Listens no more, ends what is sent piece by piece, and waits until no request is under way, at most so long;
    /// blocks meanwhile.
    package func stopListening(waitingAtMost limit: Duration) {
        // The daemon is alive. It hands the socket over, which must stay open until the daemon has stopped.
        let socket = unsafe MHD_quiesce_daemon(daemon)
        if socket >= 0 {
            quiescedSocket.withLock { $0 = socket }
            // Refuses connections from now on.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        connections.endStreams()
        connections.waitUntilIdle(limit)
    }
}

private func option(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer?
) -> MHD_OptionItem {
    // Only the bits are put together here; who starts the daemon answers for the pointer.
    unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}
