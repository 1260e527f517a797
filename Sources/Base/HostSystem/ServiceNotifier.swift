import Glibc

/// A client for the service manager's notification socket, `NOTIFY_SOCKET` (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    private let path: String

    /// Creates the notifier of a process; returns nil if no service manager expects notifications.
    package init?(environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
            return nil
        }
        self.path = path
    }

    /// A notification.
    package enum Message: Sendable, Hashable {
        /// The service is ready; the text is a one-line status.
        case ready(status: String)
        /// The service is alive (watchdog); the text is a one-line status.
        case alive(status: String)
        /// The service is stopping.
        case stopping

        fileprivate var text: String {
            switch self {
            case .ready(let status): "READY=1\nSTATUS=\(status)\n"
            case .alive(let status): "WATCHDOG=1\nSTATUS=\(status)\n"
            case .stopping: "STOPPING=1\n"
            }
        }
    }

    /// Sends a notification and ignores errors, because a missing service manager is not a failure.
    package func send(_ message: Message) {
        let name = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path needs a zero terminator.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            unsafe room.copyBytes(from: name)
            // An abstract socket name begins with a zero byte, written as `@`.
            if name[0] == UInt8(ascii: "@") { unsafe room[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(message.text.utf8)
        // The address and the bytes outlive the call.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }
}
