import Glibc

extension FileDescriptor {
    /// Writes all bytes at the file's own offset, or at the end if the file was opened with `append`.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, _ in
            // `writeAll` passes an address and a count within the borrowed buffer.
            unsafe Glibc.write(number, address, count)
        }
    }

    /// Writes all bytes at `offset`.
    ///
    /// The file's own offset does not change.
    package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
        try unsafe writeAll(bytes) { address, count, done in
            // As above.
            unsafe pwrite(number, address, count, off_t(offset + done))
        }
    }

    /// Waits until a nonblocking file accepts more bytes, such as a pipe that another program made nonblocking.
    private func waitForRoom() {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        // There is one entry, which outlives the call. The next write reports any error.
        _ = unsafe poll(&request, 1, -1)
    }

    /// Calls `body` with the address and count of the remaining bytes and the number already written, until none
    /// remain.
    private func writeAll(
        _ bytes: Span<UInt8>, _ body: (UnsafeRawPointer, Int, Int) -> Int
    ) throws(SystemError) {
        let code: Int32 = unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var done = 0
            while done < buffer.count {
                // `done` is less than the count, so address and count stay within the borrowed buffer.
                let count = unsafe body(start + done, buffer.count - done, done)
                if count < 0 && errno == EINTR { continue }
                if count < 0 && errno == EAGAIN {
                    waitForRoom()
                    continue
                }
                // A write of zero bytes sets no error and would be retried indefinitely.
                if count <= 0 { return count < 0 ? errno : EIO }
                done += count
            }
            return 0
        }
        guard code == 0 else { throw SystemError(operation: "write", path: path, code: code) }
    }
}
