import Glibc
import HostSystem

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
