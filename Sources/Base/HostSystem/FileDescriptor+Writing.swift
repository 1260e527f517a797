import Glibc

extension FileDescriptor {
    /// Writes all the bytes at the file's own offset, or at the end where it was opened for appending.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, _ in
            // Within the borrowed buffer, as `writeAll` says.
            unsafe Glibc.write(number, address, count)
        }
    }

    /// Writes all the bytes at `offset`. The file's own offset stays.
    package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, done in
            // As above.
            unsafe pwrite(number, address, count, off_t(offset + done))
        }
    }

    /// Calls `body` with the address and count of what is left, and how much is done, until nothing is left.
    private func writeAll(
        _ bytes: Span<UInt8>, _ body: (UnsafeRawPointer, Int, Int) -> Int
    ) throws(SystemError) {
        let code: Int32 = unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var done = 0
            while done < buffer.count {
                // `done` is less than the count, so that address and count stay within the borrowed buffer.
                let count = unsafe body(start + done, buffer.count - done, done)
                if count < 0 && errno == EINTR { continue }
                // A write of nothing sets no error, and would be tried for ever.
                if count <= 0 { return count < 0 ? errno : EIO }
                done += count
            }
            return 0
        }
        guard code == 0 else { throw SystemError(operation: "write", path: path, code: code) }
    }
}
