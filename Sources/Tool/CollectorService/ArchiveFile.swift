import HostSystem

/// One open file of the archive.
struct ArchiveFile: ~Copyable {
    private let file: FileDescriptor

    /// Opens a file for appending, and makes it where it is missing.
    init(path: String) throws(CollectorError) {
        do throws(SystemError) {
            file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .append])
        } catch {
            throw .system(error)
        }
    }

    /// Locks the file for this process, until it is closed; false where another has it.
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

    /// Appends all of the bytes, or, where the disk does not take them, none.
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

    /// Visits every line that a line end follows, and returns where the last of them ends.
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
            // No line that the collector wrote is that long: what follows is damage, and is not kept.
            if line.count > 64 << 20 { return end }
            offset += count
        }
    }
}
