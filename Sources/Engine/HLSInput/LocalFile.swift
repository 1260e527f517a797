import Foundation

/// An open file of this machine, or standard input, that is read in pieces.
struct LocalFile: ~Copyable, Sendable {
    let descriptor: Int32
    let name: String
    private let ownsDescriptor: Bool

    /// Opens a file; a folder is an error when it is read.
    init(path: String) throws(InputError) {
        // The path is a string of ours that lives through the call.
        descriptor = unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC)
        name = path
        ownsDescriptor = true
        guard descriptor >= 0 else { throw .unreadable(path, reason: Self.reason(errno)) }
    }

    /// A descriptor that others opened, and close.
    init(lent descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        ownsDescriptor = false
    }

    deinit {
        // Reading loses nothing by a close that fails.
        if ownsDescriptor, descriptor >= 0 { _ = close(descriptor) }
    }

    /// Reads as many bytes as fit, from the front of `buffer`; 0 at the end of the file.
    func read(into buffer: inout [UInt8], limit: Int = .max) throws(InputError) -> Int {
        let wanted = min(buffer.count, limit)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // The buffer has at least `wanted` bytes, and is ours alone while the closure runs.
                unsafe Foundation.read(descriptor, bytes.baseAddress, wanted)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw .unreadable(name, reason: Self.reason(errno)) }
        }
    }

    /// Moves on without reading, never past the end, and says by how much; 0 where the file cannot, as a pipe
    /// cannot.
    func skip(upTo count: UInt64) -> UInt64 {
        guard let size = regularByteCount else { return 0 }
        let position = lseek(descriptor, 0, SEEK_CUR)
        guard position >= 0, position < size else { return 0 }
        let distance = off_t(min(count, UInt64(size - position)))
        return lseek(descriptor, distance, SEEK_CUR) < 0 ? 0 : UInt64(distance)
    }

    /// Moves to an offset from the start of the file.
    func seek(to offset: UInt64) throws(InputError) {
        guard let offset = off_t(exactly: offset), lseek(descriptor, offset, SEEK_SET) >= 0 else {
            throw .unreadable(name, reason: "cannot be read from the middle")
        }
    }

    /// The first bytes, as many as there are up to `count`.
    func readFront(_ count: Int) throws(InputError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var front: [UInt8] = []
        // A pipe may give less at a time than there is.
        while front.count < count {
            let read = try read(into: &buffer, limit: count - front.count)
            if read == 0 { break }
            front.append(contentsOf: buffer[..<read])
        }
        return front
    }

    /// The bytes from here to the end, at most `limit`.
    func readAll(limit: Int) throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = try read(into: &buffer)
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw .unreadable(name, reason: "is larger than \(limit) bytes")
    }

    /// Whether opening it once more gives the same bytes again: a pipe gives each byte once.
    var isRegular: Bool { regularByteCount != nil }

    /// The size of a file that has one; nil of a pipe.
    var regularByteCount: off_t? {
        var status = stat()
        // The structure is ours and has room for the answer.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return status.st_size
    }

    private static func reason(_ code: Int32) -> String {
        // The text is the system's own and is copied at once.
        let text = unsafe String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension LocalFile {
    /// What a path names.
    enum Kind {
        case file
        case folder
        /// A pipe, a socket or a device: its bytes come once, or never.
        case other
    }

    /// What a path names, links followed; an error where it names nothing.
    static func kind(of path: String) throws(InputError) -> Kind {
        var status = stat()
        // The structure is ours and has room for the answer.
        guard unsafe stat(path, &status) == 0 else { throw .unreadable(path, reason: reason(errno)) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: return .file
        default: return .other
        }
    }

    /// The names of the files in a folder in natural order; hidden ones, folders, pipes and devices are left out.
    ///
    /// A link that leads nowhere is among them: whoever reads it learns that the file is missing.
    static func fileNames(in folder: String) throws(InputError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw .unreadable(folder, reason: "cannot be listed")
        }
        return names.filter { !$0.hasPrefix(".") && mayBeFile("\(folder)/\($0)") }
            .sorted(by: NaturalOrder.precedes)
    }

    private static func mayBeFile(_ path: String) -> Bool {
        do throws(InputError) {
            if case .file = try kind(of: path) { return true }
            return false
        } catch {
            return true
        }
    }
}
