import Glibc

extension FileDescriptor {
    /// Writes all the bytes at the file's own offset, or at the end where it was opened for appending.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, _ in
            // Within the borrowed buffer, as `writeAll` says.
            unsafe Glibc.write(number, address, count)
        }
    }

    /// Writes all the bytes at `offset`.
    ///
    /// The file's own offset stays.
    package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, done in
            // As above.
            unsafe pwrite(number, address, count, off_t(offset + done))
        }
    }

    /// Waits until a file that does not block takes bytes again, such as a pipe that another program made so.
    private func waitForRoom() {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        // One entry, which lives across the call. What goes wrong here, the next write says.
        _ = unsafe poll(&request, 1, -1)
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
                if count < 0 && errno == EAGAIN {
                    waitForRoom()
                    continue
                }
                // A write of nothing sets no error, and would be tried for ever.
                if count <= 0 { return count < 0 ? errno : EIO }
                done += count
            }
            return 0
        }
        guard code == 0 else { throw SystemError(operation: "write", path: path, code: code) }
    }
}
