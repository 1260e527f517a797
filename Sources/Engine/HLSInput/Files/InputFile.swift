import Glibc
import HostSystem

/// An open file of this machine, or standard input, that is read in pieces.
///
/// A FIFO, a device and standard input are streams: their bytes come once, and nobody knows when. Reading them ends
/// when the task is cancelled.
package struct InputFile: ~Copyable, Sendable {
    /// What messages call it.
    package let name: String
    /// Whether opening it once more gives the same bytes again.
    let isRegular: Bool
    private let descriptor: FileDescriptor

    /// How many bytes are read at a time.
    package static let pieceByteCount = 256 << 10

    /// How long a stream is waited for before the task is asked again whether it was cancelled.
    private static let pollInterval = Duration.milliseconds(100)

    /// Room for a stream's bytes in the kernel: with the usual 64 KiB both ends mostly wait for each other.
    private static let pipeByteCount: Int32 = 1 << 20

    /// Opens what a playlist names or a directory holds: a regular file, and nothing else.
    init(regularFileAt path: String) throws(InputError) {
        // Opening a device can do things by itself, so its kind is asked for before as well.
        try Self.requireRegular(Self.kind(of: path), path)
        let descriptor = try Self.open(path)
        try Self.requireRegular(Self.kind(of: descriptor), path)
        self.descriptor = descriptor
        name = path
        isRegular = true
    }

    /// Opens what the user named: a file, or a stream.
    package init(named path: String) throws(InputError) {
        let descriptor = try Self.open(path)
        let kind = try Self.kind(of: descriptor)
        self.init(descriptor, name: path, isRegular: kind == .regularFile)
    }

    /// A descriptor that others opened, and close.
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

    /// Reads as many bytes as there are now, up to what fits; 0 at the end.
    package func read(into buffer: inout [UInt8], maximumByteCount: Int = .max) throws(InputError) -> Int {
        while true {
            if Task.isCancelled { throw .cancelled(name) }
            do throws(SystemError) {
                if !isRegular, try !descriptor.isReadable(within: Self.pollInterval) { continue }
                return try descriptor.read(into: &buffer, maximumByteCount: maximumByteCount)
            } catch {
                // Another process that reads the same pipe was faster.
                if error.code == EAGAIN { continue }
                throw .unreadable(name, reason: error.reason)
            }
        }
    }

    /// Moves on without reading, never past the end, and says by how much; 0 where that cannot be done.
    func skip(_ maximumByteCount: UInt64) throws(InputError) -> UInt64 {
        guard isRegular else { return 0 }
        do throws(SystemError) {
            return try descriptor.skip(maximumByteCount)
        } catch {
            throw .unreadable(name, reason: error.reason)
        }
    }

    /// Moves to an offset from the start of the file.
    func seek(to offset: UInt64) throws(InputError) {
        do throws(SystemError) {
            try descriptor.seek(to: offset)
        } catch {
            throw .unreadable(name, reason: "cannot be read from the middle: \(error.reason)")
        }
    }

    /// The first bytes, as many as there are up to `count`.
    func readFront(_ count: Int) throws(InputError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var front: [UInt8] = []
        // A pipe may give less at a time than there is.
        while front.count < count {
            let read = try read(into: &buffer, maximumByteCount: count - front.count)
            if read == 0 { break }
            front.append(contentsOf: buffer[..<read])
        }
        return front
    }

    /// The bytes from here to the end.
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

    /// What a path names, links followed; an error where it names nothing.
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

    /// Opens without a wait for the other end of a FIFO: `read` waits for its first bytes.
    private static func open(_ path: String) throws(InputError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor(path: path, options: [.reading, .nonblocking])
        } catch {
            throw .unreadable(path, reason: error.reason)
        }
    }
}
