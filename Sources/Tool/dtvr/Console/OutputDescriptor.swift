import Glibc

/// Writing to a descriptor until everything is written.
enum OutputDescriptor {
    /// Writes all of the bytes, however few the system takes at a time.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                // The rest of the buffer is readable while the closure runs; an empty one is not asked for.
                unsafe Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
            }
            if count > 0 {
                written += count
                continue
            }
            switch count == 0 ? EIO : errno {
            case EINTR: continue
            case EAGAIN: waitForRoom(in: descriptor)
            case let code: throw OutputError(code: code)
            }
        }
    }

    /// Waits until a descriptor that does not block takes bytes again, as a pipe does that another program made
    /// non-blocking.
    private static func waitForRoom(in descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // One entry, which lives across the call. What goes wrong here, the next write says.
        _ = unsafe poll(&request, 1, -1)
    }
}
