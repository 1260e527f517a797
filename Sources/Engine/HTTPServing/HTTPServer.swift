import CDTVRMicroHTTPD
import Glibc
package import HostSystem
import Synchronization

/// A small HTTP and HTTPS server with one thread per connection, so slow clients and blocking handlers delay no others.
///
/// It starts to listen in its initializer, and has stopped when it is deinitialized.
@safe package final class HTTPServer: @unchecked Sendable {
    // Sendable: the pointer is set in init and only read afterwards. `MHD_stop_daemon` in deinit returns only after all
    // threads that could use it have ended.

    private let daemon: OpaquePointer
    /// The context of the callbacks, which outlives the daemon.
    private let connections: Connections

    /// The listening port; 0 for a Unix domain socket.
    package let port: UInt16
    private let socketPath: String?
    /// The listening socket after `stopListening`; -1 before.
    private let quiescedSocket = Mutex<Int32>(-1)

    /// Starts to listen; `handle` is called with the header of each request, on the thread of its connection.
    package init(
        _ settings: HTTPServerSettings,
        handle: @escaping @Sendable (HTTPServerRequest) -> any RequestHandler
    ) throws(HTTPServingError) {
        guard unsafe dtvr_mhd_missing() == nil else { throw .missingLibrary }
        let open = OpenConnections(settings)
        let connections = Connections(open, handle: handle)
        self.connections = connections
        guard let address = ListeningAddress(settings.address, port: settings.port) else {
            throw .invalidAddress(settings.address)
        }
        let socket = try Self.socket(settings.socketPath)
        socketPath = socket?.path
        // The library does not set it for each failure.
        errno = 0
        let started = unsafe Self.start(
            settings, address: address, socket: socket.map { Int($0.number) }, with: connections)
        guard let started = unsafe started else {
            if errno == EADDRINUSE, socket == nil {
                throw .inUse(address: settings.address, port: settings.port)
            }
            // The library may have closed the listening socket, so closing it here is unsafe.
            throw .notListening(address: socketPath ?? settings.address, port: settings.port)
        }
        unsafe daemon = unsafe started
        port = unsafe dtvr_mhd_port(started)
        do throws(SystemError) {
            try open.start()
        } catch {
            unsafe dtvr_MHD_stop_daemon(started)
            throw .notListening(address: socketPath ?? settings.address, port: settings.port)
        }
    }

    /// Starts the daemon, and returns it; nil if it cannot listen.
    private static func start(
        _ settings: HTTPServerSettings, address: ListeningAddress, socket: Int?, with connections: Connections
    ) -> OpaquePointer? {
        var flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
            | MHD_USE_POLL.rawValue | MHD_USE_ITC.rawValue
        if address.isIPv6 { flags |= MHD_USE_IPv6.rawValue }
        if settings.identity != nil { flags |= MHD_USE_TLS.rawValue }
        var address = address
        // The arrays are zero-terminated and valid while the daemon starts; the daemon makes copies.
        var certificate = (settings.identity?.certificate ?? []) + [0]
        var privateKey = (settings.identity?.privateKey ?? []) + [0]
        var priorities = Array("NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2".utf8) + [0]
        let context = unsafe Unmanaged.passUnretained(connections).toOpaque()
        return unsafe address.withPointer { address in
            unsafe certificate.withUnsafeMutableBytes { certificate in
                unsafe privateKey.withUnsafeMutableBytes { privateKey in
                    unsafe priorities.withUnsafeMutableBytes { priorities -> OpaquePointer? in
                        var options = unsafe connectionOptions(settings, context)
                        unsafe options.append(
                            socket.map { unsafe option(MHD_OPTION.LISTEN_SOCKET, $0, nil) }
                                ?? option(MHD_OPTION.SOCK_ADDR, 0, address))
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
    }

    /// Returns the limits of connections, and the callbacks that get `context`.
    private static func connectionOptions(
        _ settings: HTTPServerSettings, _ context: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        let notified = unsafe Int(bitPattern: unsafeBitCast(Connections.notified, to: UnsafeRawPointer.self))
        let completed = unsafe Int(
            bitPattern: unsafeBitCast(Connections.completed, to: UnsafeRawPointer.self))
        return unsafe [
            // Twice the limit, because connections that are being closed still count.
            option(MHD_OPTION.CONNECTION_LIMIT, 2 * settings.maximumConnectionCount, nil),
            option(MHD_OPTION.NOTIFY_CONNECTION, notified, context),
            option(MHD_OPTION.CONNECTION_TIMEOUT, settings.idleSeconds, nil),
            option(MHD_OPTION.CONNECTION_MEMORY_LIMIT, 128 << 10, nil),
            option(MHD_OPTION.NOTIFY_COMPLETED, completed, context),
        ]
    }

    deinit {
        connections.endStreams()
        // Closes the connections and waits for their threads; no other code has the pointer.
        unsafe dtvr_MHD_stop_daemon(daemon)
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

    /// Stops listening, ends streamed bodies, and waits up to `limit` for requests in progress.
    ///
    /// It blocks, and may be called again.
    ///
    /// - Returns: Whether no request is in progress.
    @discardableResult
    package func stopListening(waitingAtMost limit: Duration) -> Bool {
        // The daemon is alive. It returns the socket, which must stay open until the daemon has stopped.
        let socket = unsafe dtvr_MHD_quiesce_daemon(daemon)
        if socket >= 0 {
            quiescedSocket.withLock { $0 = socket }
            // Refuses new connections.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        connections.endStreams()
        return connections.waitUntilIdle(limit)
    }
}

private func option(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer?
) -> MHD_OptionItem {
    // This only stores the bits; the caller ensures that the pointer is valid.
    unsafe MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}

/// The handler of one request, created when its header has arrived and used only on its connection's thread.
///
/// It may block, because each connection has a separate thread.
package protocol RequestHandler: AnyObject {
    /// Receives the next bytes of the body.
    func receive(_ bytes: Span<UInt8>) -> RequestStep
    /// Answers the request, whose body is complete.
    func finish() -> RequestStep
}

/// The server's next step for a request.
package enum RequestStep {
    /// Continue to receive.
    case proceed
    /// Close the connection without an answer.
    case drop
    /// Send the answer.
    case answer(HTTPServerAnswer)
    /// Send the answer with a streamed body that replaces `body`.
    case stream(HTTPServerAnswer, any AnswerStream)
}

/// An error that prevents a server from starting.
package enum HTTPServingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// libmicrohttpd is not installed.
    case missingLibrary
    /// The address is not numeric.
    case invalidAddress(String)
    /// Another program listens at the port.
    case inUse(address: String, port: UInt16)
    /// The port is not permitted, or TLS rejected the certificate and key.
    case notListening(address: String, port: UInt16)
    /// The Unix domain socket cannot be created.
    case noSocket(SystemError)

    /// Whether a retry may succeed without manual changes.
    package var isRetriable: Bool {
        switch self {
        case .missingLibrary, .invalidAddress: false
        case .inUse, .notListening, .noSocket: true
        }
    }

    /// A one-line description of the error.
    package var description: String {
        switch self {
        case .missingLibrary: "libmicrohttpd is not installed"
        case .invalidAddress(let address): "\(address) is not a numeric address"
        case .inUse(let address, let port):
            "cannot listen at \(address), port \(port): the port is in use"
        case .notListening(let address, let port): "cannot listen at \(address), port \(port)"
        case .noSocket(let error): error.description
        }
    }
}

/// A listening Unix domain socket that only its owner can connect to.
struct UnixSocket {
    /// The path of the socket.
    let path: String
    /// The descriptor of the listening socket, which the server closes.
    let number: Int32

    /// The maximum number of connections that wait to be accepted.
    private static let backlog: Int32 = 16

    /// Starts to listen, replacing a socket that an earlier server left behind, but no other file.
    init(path: String) throws(SystemError) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        let folder = try FileDescriptor(
            path: slash.map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? ".",
            options: [.reading, .directory])
        // A path through the folder's descriptor avoids the system's limit of 107 bytes.
        let name =
            "/proc/self/fd/\(folder.number)/\(slash.map { path[path.index(after: $0)...] } ?? path[...])"
        try Self.remove(name)
        let socket = FileDescriptor(
            adopting: Glibc.socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0),
            name: path)
        // The file gets the permissions that the socket has when it is bound.
        guard socket.number >= 0, fchmod(socket.number, 0o600) == 0, Self.bind(socket.number, to: name),
            listen(socket.number, Self.backlog) == 0
        else { throw SystemError(operation: "listen at", path: path, code: errno) }
        // The first descriptor is closed at the end of this call.
        number = fcntl(socket.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError(operation: "listen at", path: path, code: errno) }
    }

    /// Removes the file of a socket, but no other file.
    static func remove(_ path: String) throws(SystemError) {
        var facts = stat()
        // The structure has room for the answer.
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK else { return }
        try FileSystem.remove(path)
    }

    private static func bind(_ number: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= room else {
            errno = ENAMETOOLONG
            return false
        }
        // The path fits, and the remaining bytes stay zero.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The length is that of the structure, which is read only during the call.
                unsafe Glibc.bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
