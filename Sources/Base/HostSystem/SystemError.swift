import Glibc

/// A call of the operating system that failed.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call, such as `open`.
    public let operation: String
    /// The file that it was about; empty where it was about none.
    public let path: String
    /// The `errno` that it left.
    public let code: Int32

    /// A failure of that call.
    package init(operation: String, path: String = "", code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// What the system says about the code, such as `no such file or directory`.
    public var reason: String {
        // Room for the longest text, which the call ends with a zero.
        var text = [CChar](repeating: 0, count: 256)
        let failure = unsafe text.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let start = buffer.baseAddress else { return EINVAL }
            return unsafe strerror_r(code, start, buffer.count)
        }
        guard failure == 0 else { return "error \(code)" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let message = String(decoding: bytes, as: UTF8.self)
        return message.prefix(1).lowercased() + message.dropFirst()
    }

    /// Whether the same call may succeed later without anything having been changed by hand.
    public var isRetriable: Bool {
        switch code {
        case EINTR, EAGAIN, EBUSY, EIO, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC, EDQUOT, ETXTBSY: true
        default: false
        }
    }

    /// The failure as one line for people.
    public var description: String {
        path.isEmpty ? "\(operation): \(reason)" : "\(operation) \(path): \(reason)"
    }
}
