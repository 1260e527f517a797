import Glibc

/// A server that accepts connections, and never says anything.
public final class SilentPeer: Sendable {
    private let descriptor: Int32
    /// The address with the port, or the path of the socket.
    public let address: String

    /// Listens on a free port of the loopback interface.
    public init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The address outlives each call.
        let code = unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) | listen(descriptor, 64)
                    | getsockname(descriptor, pointer, &length)
            }
        }
        self.descriptor = descriptor
        guard code == 0 else { throw LoopbackServer.Failure() }
        address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    }

    /// Listens on a socket in the file system.
    public init(path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
            throw LoopbackServer.Failure()
        }
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        // The address outlives each call.
        let code = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                    | listen(descriptor, 64)
            }
        }
        self.descriptor = descriptor
        guard code == 0 else { throw LoopbackServer.Failure() }
        address = path
    }

    deinit { close(descriptor) }

    /// Whether a client has connected.
    public var hasConnection: Bool {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // One entry, which stays alive during the call.
        return unsafe poll(&readiness, 1, 0) == 1
    }
}
