import Glibc

/// The owner of one open file of the archive.
struct ArchiveFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens a file for appending, and makes it where it is missing.
    init(path: String) throws(CollectorError) {
        self.path = path
        // The path is a C string that lives for the call.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .system(operation: "open", path: path, errno: errno) }
    }

    deinit {
        // A program that another thread starts at this moment has a copy of the descriptor until it runs its own
        // code, and a lock lasts as long as its last copy: it ends here, not there.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the file for this process, until it is closed; false where another has it.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func size() throws(CollectorError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        if end < 0 { throw .system(operation: "lseek", path: path, errno: errno) }
        return Int(end)
    }

    func truncate(to size: Int) throws(CollectorError) {
        if ftruncate(descriptor, off_t(size)) != 0 {
            throw .system(operation: "ftruncate", path: path, errno: errno)
        }
    }

    func sync() throws(CollectorError) {
        if fdatasync(descriptor) != 0 { throw .system(operation: "fdatasync", path: path, errno: errno) }
    }

    /// Appends all of the bytes, or, where the disk does not take them, none.
    func append(_ bytes: [UInt8], isSynced: Bool) throws(CollectorError) {
        let before = try size()
        do throws(CollectorError) {
            var written = 0
            while written < bytes.count {
                // The array is not touched meanwhile, and the count stays within it.
                let count = unsafe bytes.withUnsafeBytes {
                    unsafe write(
                        descriptor, $0.baseAddress.map { unsafe $0 + written }, bytes.count - written)
                }
                if count < 0, errno == EINTR { continue }
                if count <= 0 { throw .system(operation: "write", path: path, errno: errno) }
                written += count
            }
            if isSynced { try sync() }
        } catch {
            try truncate(to: before)
            throw error
        }
    }

    /// Reads up to `buffer.count` bytes from `offset`; 0 at the end.
    func read(into buffer: inout [UInt8], at offset: Int) throws(CollectorError) -> Int {
        while true {
            // pread writes at most the count of the array.
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count >= 0 { return count }
            if errno != EINTR { throw .system(operation: "read", path: path, errno: errno) }
        }
    }

    /// Visits every line that is ended by a line end, and returns where the last of them ends.
    func forEachLine(_ visit: (_ line: [UInt8], _ end: Int) -> Void) throws(CollectorError) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var line: [UInt8] = []
        var offset = 0
        var end = 0
        while true {
            let count = try read(into: &buffer, at: offset)
            if count == 0 { return end }
            var start = 0
            for index in 0..<count where buffer[index] == UInt8(ascii: "\n") {
                line.append(contentsOf: buffer[start..<index])
                end = offset + index + 1
                visit(line, end)
                line.removeAll(keepingCapacity: true)
                start = index + 1
            }
            line.append(contentsOf: buffer[start..<count])
            // No line that the collector wrote is that long: what follows is damage, and is not gathered.
            if line.count > 64 << 20 { return end }
            offset += count
        }
    }
}
