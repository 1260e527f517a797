import Glibc

extension FileDescriptor {
    /// Reads the available bytes, up to the size of the buffer; returns 0 at the end of the file.
    ///
    /// Blocks until at least one byte is available. A file opened with `nonblocking` fails with `EAGAIN` instead.
    package func read(
        into buffer: inout [UInt8], maximumByteCount: Int = .max
    ) throws(SystemError) -> Int {
        let wanted = min(buffer.count, maximumByteCount)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // The buffer has at least `wanted` bytes, and access is exclusive during the closure.
                unsafe Glibc.read(number, bytes.baseAddress, wanted)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure("read") }
        }
    }

    /// Reads bytes from `offset`, up to the size of the buffer; returns 0 at the end of the file.
    ///
    /// The file's own offset does not change.
    package func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // Reads at most the size of the buffer; access is exclusive during the closure.
                unsafe pread(number, bytes.baseAddress, bytes.count, off_t(offset))
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure("pread") }
        }
    }

    /// Returns the first bytes of the file, at most `maximumByteCount` of them.
    ///
    /// The file's own offset does not change.
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

    /// Waits up to `timeout` and returns whether a read would not block.
    ///
    /// Also returns true at the end of the file, and if a read would fail immediately.
    package func isReadable(within timeout: Duration) throws(SystemError) -> Bool {
        // The maximum timeout of poll: 24 days.
        let limit = min(max(timeout, .zero), .milliseconds(Int64(Int32.max))).components
        let milliseconds = limit.seconds * 1_000 + limit.attoseconds / 1_000_000_000_000_000
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // There is one entry, which outlives the call.
        let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
        if count >= 0 { return count > 0 }
        // A signal ends the wait, so that the caller can handle it and retry.
        guard errno == EINTR else { throw failure("poll") }
        return false
    }

    /// Advances the file's offset without reading, at most to the end, and returns the distance in bytes.
    ///
    /// Returns 0 if the file is not seekable, such as a pipe.
    package func skip(_ maximumByteCount: UInt64) throws(SystemError) -> UInt64 {
        guard let size = try byteCount() else { return 0 }
        let position = lseek(number, 0, SEEK_CUR)
        guard position >= 0, position < size else { return 0 }
        let distance = off_t(min(maximumByteCount, UInt64(off_t(size) - position)))
        return lseek(number, distance, SEEK_CUR) < 0 ? 0 : UInt64(distance)
    }

    /// Sets the file's offset, counted from the start of the file.
    package func seek(to offset: UInt64) throws(SystemError) {
        guard let offset = off_t(exactly: offset) else {
            throw SystemError(operation: "lseek", path: path, code: EOVERFLOW)
        }
        guard lseek(number, offset, SEEK_SET) >= 0 else { throw failure("lseek") }
    }
}
