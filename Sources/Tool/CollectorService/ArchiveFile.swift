import HostSystem

/// An open file of the archive.
struct ArchiveFile: ~Copyable {
    private let file: FileDescriptor

    /// Opens a file for appending, or creates it.
    init(path: String) throws(CollectorError) {
        do throws(SystemError) {
            file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .append])
        } catch {
            throw .system(error)
        }
    }

    /// Opens an existing file for reading.
    init(reading path: String) throws(CollectorError) {
        do throws(SystemError) {
            file = try FileDescriptor(path: path, options: [])
        } catch {
            throw .system(error)
        }
    }

    /// Locks the file until it is closed, and returns false if another process holds the lock.
    func lock() -> Bool { file.tryLock() }

    func size() throws(CollectorError) -> Int {
        try CollectorError.wrapping { () throws(SystemError) in try file.byteCount() ?? 0 }
    }

    func truncate(to size: Int) throws(CollectorError) {
        try CollectorError.wrapping { () throws(SystemError) in try file.truncate(to: size) }
    }

    func sync() throws(CollectorError) {
        try CollectorError.wrapping { () throws(SystemError) in try file.syncData() }
    }

    /// Appends all bytes, or none if the write or the sync fails.
    func append(_ bytes: [UInt8], isSynced: Bool) throws(CollectorError) {
        let before = try size()
        do throws(SystemError) {
            try file.write(bytes.span)
            if isSynced { try file.syncData() }
        } catch {
            try truncate(to: before)
            throw .system(error)
        }
    }

    /// Calls `visit` for every complete line, and returns the end offset of the last one.
    func forEachLine(_ visit: (_ line: [UInt8], _ end: Int) -> Void) throws(CollectorError) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var line: [UInt8] = []
        var offset = 0
        var end = 0
        while true {
            let count = try CollectorError.wrapping { () throws(SystemError) in
                try file.read(into: &buffer, at: offset)
            }
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
            // The collector never writes such a long line: the rest of the file is damaged.
            if line.count > 64 << 20 { return end }
            offset += count
        }
    }
}
