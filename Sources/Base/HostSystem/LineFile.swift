package import Glibc
import TextForms

/// An open file of lines, to which complete lines are appended.
///
/// A process that is killed leaves at most an incomplete last line, which the next one removes.
package struct LineFile: ~Copyable {
    /// The maximum length of a line, in bytes; the file of a longer one is damaged.
    package static let maximumLineByteCount = 64 << 20

    private let file: FileDescriptor

    /// Opens a file for appending, or creates it; a new file is private to its owner unless `permissions` differ.
    ///
    /// - Parameter followsLink: Whether the file may be a symbolic link to another one.
    package init(path: String, permissions: mode_t = 0o600, followsLink: Bool = false) throws(SystemError) {
        var options: FileDescriptor.Options = [.readingAndWriting, .create, .append]
        if !followsLink { options.insert(.noFollow) }
        file = try FileDescriptor(path: path, options: options, permissions: permissions)
    }

    /// Opens an existing file for reading.
    package init(reading path: String) throws(SystemError) {
        file = try FileDescriptor(path: path, options: .reading)
    }

    /// Locks the file until it is closed, and returns false if another process holds the lock.
    package func lock() -> Bool { file.tryLock() }

    /// Returns the size in bytes.
    package func size() throws(SystemError) -> Int { try file.byteCount() ?? 0 }

    /// Removes the bytes from an offset on.
    package func truncate(to size: Int) throws(SystemError) { try file.truncate(to: size) }

    /// Writes the data to the disk.
    package func sync() throws(SystemError) { try file.syncData() }

    /// Appends all bytes, or none if the write or the sync fails.
    package func append(_ bytes: [UInt8], isSynced: Bool) throws(SystemError) {
        let before = try size()
        do throws(SystemError) {
            try file.write(bytes.span)
            if isSynced { try file.syncData() }
        } catch {
            try truncate(to: before)
            throw error
        }
    }

    /// Calls `visit` for every complete line until it returns false, and returns the end offset of the last one.
    ///
    /// A line that is too long ends the reading too.
    package func forEachLine(_ visit: (_ line: [UInt8], _ end: Int) -> Bool) throws(SystemError) -> Int {
        var lines = LineSplitter(maximumByteCount: Self.maximumLineByteCount)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        var end = 0
        while case let count = try file.read(into: &buffer, at: offset), count > 0 {
            offset += count
            lines.append(buffer[..<count])
            while let line = lines.next() {
                guard case .text(let bytes) = line else { return end }
                end = lines.end
                guard visit(bytes, end) else { return end }
            }
        }
        return end
    }
}
