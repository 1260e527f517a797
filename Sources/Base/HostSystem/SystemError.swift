import Glibc

/// A failed system call.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the call, such as `open`.
    public let operation: String
    /// The path of the file; empty if the call has none.
    public let path: String
    /// The `errno` of the call.
    public let code: Int32

    /// Creates an error for a failed call.
    package init(operation: String, path: String = "", code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The system's text for the code, such as `no such file or directory`.
    public var reason: String {
        // The buffer fits the longest text; the call adds a zero terminator.
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

    /// Whether the same call may succeed later without a manual change.
    public var isRetriable: Bool {
        switch code {
        case EINTR, EAGAIN, EBUSY, EIO, EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC, EDQUOT, ETXTBSY: true
        default: false
        }
    }

    /// The error as one line of text for the user.
    public var description: String {
        path.isEmpty ? "\(operation): \(reason)" : "\(operation) \(path): \(reason)"
    }
}
