import Glibc

/// Tells the service manager how the process is, by the socket that `NOTIFY_SOCKET` names (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    private let path: String

    /// The notifier of a process; nil where nobody wants to be told.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
            return nil
        }
        self.path = path
    }

    /// Something that is told.
    package enum Message: Sendable, Hashable {
        /// It does its work, which the text sums up in one line.
        case ready(status: String)
        /// It works, and how it goes.
        case alive(status: String)
        /// It is about to end.
        case stopping

        fileprivate var text: String {
            switch self {
            case .ready(let status): "READY=1\nSTATUS=\(status)\n"
            case .alive(let status): "WATCHDOG=1\nSTATUS=\(status)\n"
            case .stopping: "STOPPING=1\n"
            }
        }
    }

    /// Tells it; a manager that cannot be reached is not told.
    package func send(_ message: Message) {
        let name = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path needs a zero at its end.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            unsafe room.copyBytes(from: name)
            // An abstract name begins with a zero, which is written as an at sign.
            if name[0] == UInt8(ascii: "@") { unsafe room[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.text.utf8)
        // Address and bytes live through the call.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }
}
