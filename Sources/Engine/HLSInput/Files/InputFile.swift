import Glibc
import HostSystem

/// An open local file, or standard input, that is read in pieces.
///
/// FIFOs, devices and standard input are streams: their bytes can be read only once and may arrive at any time. Task
/// cancellation interrupts reading from a stream.
package struct InputFile: ~Copyable, Sendable {
    /// The name used in messages.
    package let name: String
    /// Whether the file can be reopened to read the same bytes.
    package let isRegular: Bool
    private let descriptor: FileDescriptor

    /// The read size, in bytes.
    package static let pieceByteCount = 256 << 10

    /// The interval at which a wait for a stream checks for task cancellation.
    private static let pollInterval = Duration.milliseconds(100)

    /// The kernel buffer size for pipes, because with the default of 64 KiB both ends mostly wait for each other.
    private static let pipeByteCount: Int32 = 1 << 20

    /// Opens a file from a playlist or directory, which must be a regular file.
    init(regularFileAt path: String) throws(InputError) {
        // Opening a device can have side effects, so the file type is also checked before.
        try Self.requireRegular(Self.kind(of: path), path)
        let descriptor = try Self.open(path)
        try Self.requireRegular(Self.kind(of: descriptor), path)
        self.descriptor = descriptor
        name = path
        isRegular = true
    }

    /// Opens a file or stream named by the user.
    package init(named path: String) throws(InputError) {
        let descriptor = try Self.open(path)
        let kind = try Self.kind(of: descriptor)
        self.init(descriptor, name: path, isRegular: kind == .regularFile)
    }

    /// Wraps a file descriptor that the caller opened and closes.
    package init(lent number: Int32, name: String) throws(InputError) {
        let descriptor = FileDescriptor(lent: number, name: name)
        let kind = try Self.kind(of: descriptor)
        self.init(descriptor, name: name, isRegular: kind == .regularFile)
    }

    private init(_ descriptor: consuming FileDescriptor, name: String, isRegular: Bool) {
        self.descriptor = descriptor
        self.name = name
        self.isRegular = isRegular
        if !isRegular { self.descriptor.enlargePipe(to: Self.pipeByteCount) }
    }

    /// Reads the available bytes, up to the size of the buffer, and returns their number, 0 at the end.
    package func read(into buffer: inout [UInt8], maximumByteCount: Int = .max) throws(InputError) -> Int {
        while true {
            if Task.isCancelled { throw .cancelled(name) }
            do throws(SystemError) {
                if !isRegular, try !descriptor.isReadable(within: Self.pollInterval) { continue }
                return try descriptor.read(into: &buffer, maximumByteCount: maximumByteCount)
            } catch {
                // Another reader of the same pipe took the bytes.
                if error.code == EAGAIN { continue }
                throw .unreadable(name, reason: error.reason)
            }
        }
    }

    /// Skips bytes up to the end of the file, and returns their number, 0 if the file is not seekable.
    func skip(_ maximumByteCount: UInt64) throws(InputError) -> UInt64 {
        guard isRegular else { return 0 }
        do throws(SystemError) {
            return try descriptor.skip(maximumByteCount)
        } catch {
            throw .unreadable(name, reason: error.reason)
        }
    }

    /// Seeks to an offset from the start of the file.
    func seek(to offset: UInt64) throws(InputError) {
        do throws(SystemError) {
            try descriptor.seek(to: offset)
        } catch {
            throw .unreadable(name, reason: "cannot seek: \(error.reason)")
        }
    }

    /// Returns the first bytes, up to `count`.
    func readFront(_ count: Int) throws(InputError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var front: [UInt8] = []
        // A pipe may return fewer bytes per read.
        while front.count < count {
            let read = try read(into: &buffer, maximumByteCount: count - front.count)
            if read == 0 { break }
            front.append(contentsOf: buffer[..<read])
        }
        return front
    }

    /// Returns the bytes from the current position to the end.
    func readAll(maximumByteCount: Int) throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= maximumByteCount {
            let count = try read(into: &buffer)
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw .tooLarge(name, maximumByteCount: UInt64(maximumByteCount))
    }

    // MARK: Opening

    /// Returns the file type of a path, following links, or throws if the path does not exist.
    static func kind(of path: String) throws(InputError) -> FileDescriptor.Kind {
        do throws(SystemError) {
            return try FileSystem.kind(of: path)
        } catch {
            throw .unreadable(path, reason: error.reason)
        }
    }

    private static func kind(of descriptor: borrowing FileDescriptor) throws(InputError)
        -> FileDescriptor.Kind
    {
        do throws(SystemError) {
            return try descriptor.kind()
        } catch {
            throw .unreadable(descriptor.path, reason: error.reason)
        }
    }

    private static func requireRegular(_ kind: FileDescriptor.Kind, _ path: String) throws(InputError) {
        switch kind {
        case .regularFile: return
        case .directory: throw .unreadable(path, reason: "is a directory")
        case .other: throw .notRegularFile(path)
        }
    }

    /// Opens a file without waiting for the other end of a FIFO; `read` waits for its first bytes.
    private static func open(_ path: String) throws(InputError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor(path: path, options: [.reading, .nonblocking])
        } catch {
            throw .unreadable(path, reason: error.reason)
        }
    }
}
