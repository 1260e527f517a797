import Glibc

extension FileDescriptor {
    /// Reads as many bytes as there are now, up to what fits; 0 at the end of the file.
    ///
    /// Blocks until there is one, unless the file was opened as `nonblocking`: then it fails with `EAGAIN`.
    package func read(
        into buffer: inout [UInt8], maximumByteCount: Int = .max
    ) throws(SystemError) -> Int {
        let wanted = min(buffer.count, maximumByteCount)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // The buffer has at least `wanted` bytes, and is ours alone while the closure runs.
                unsafe Glibc.read(number, bytes.baseAddress, wanted)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure("read") }
        }
    }

    /// Reads the bytes from `offset` on, up to what fits; 0 at the end.
    ///
    /// The file's own offset stays.
    package func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // No more than the count of the buffer, which is ours alone while the closure runs.
                unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure("pread") }
        }
    }

    /// The first bytes of the file, as many as there are up to that count.
    ///
    /// The file's own offset stays.
    package func firstBytes(_ maximumByteCount: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(maximumByteCount, 1 << 16))
        while bytes.count < maximumByteCount {
            let count = try read(into: &buffer, at: bytes.count)
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<min(count, maximumByteCount - bytes.count)])
        }
        return bytes
    }

    /// Whether bytes, or the end, can be read without a wait; waits for that no longer than `timeout`.
    ///
    /// Also true where reading would fail at once.
    package func isReadable(within timeout: Duration) throws(SystemError) -> Bool {
        // As long as poll can wait: 24 days.
        let limit = min(max(timeout, .zero), .milliseconds(Int64(Int32.max))).components
        let milliseconds = limit.seconds * 1_000 + limit.attoseconds / 1_000_000_000_000_000
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // One entry, which lives for the call.
        let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
        if count >= 0 { return count > 0 }
        // A signal ends the wait: whoever asked looks at what it said, and asks again.
        guard errno == EINTR else { throw failure("poll") }
        return false
    }

    /// Moves on without reading, never past the end, and says by how many bytes; 0 where the file cannot be moved in,
    /// as a pipe cannot.
    package func skip(_ maximumByteCount: UInt64) throws(SystemError) -> UInt64 {
        guard let size = try byteCount() else { return 0 }
        let position = lseek(number, 0, SEEK_CUR)
        guard position >= 0, position < size else { return 0 }
        let distance = off_t(min(maximumByteCount, UInt64(off_t(size) - position)))
        return lseek(number, distance, SEEK_CUR) < 0 ? 0 : UInt64(distance)
    }

    /// Moves to an offset from the start of the file.
    package func seek(to offset: UInt64) throws(SystemError) {
        guard let offset = off_t(exactly: offset) else {
            throw SystemError(operation: "lseek", path: path, code: EOVERFLOW)
        }
        guard lseek(number, offset, SEEK_SET) >= 0 else { throw failure("lseek") }
    }
}
