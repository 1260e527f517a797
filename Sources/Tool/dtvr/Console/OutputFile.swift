import Glibc
import HostSystem
import Synchronization

/// A file that results are written to, as a shell's `>` would: through symbolic links, to devices and to FIFOs.
///
/// A regular file has its name only once it is complete: it is written beside its name and takes the place of what
/// stood there when it is finished. One that is not finished is removed, also when the process is asked to stop.
struct OutputFile: ~Copyable {
    private let file: FileDescriptor
    private let unfinished: PartialFile?
    private let isRegular: Bool
    private var isEmpty = true

    /// Opens the output; what has the name already is not touched yet.
    init(path: String) throws(SystemError) {
        switch try Destination(path) {
        case .replaced(let name, let mode):
            let unfinished = PartialFile(for: name)
            file = try unfinished.create(mode: mode)
            self.unfinished = unfinished
            isRegular = true
        case .overwritten:
            file = try FileDescriptor(path: path, options: .writing)
            unfinished = nil
            isRegular = true
        case .special:
            file = try FileDescriptor(path: path, options: .writing)
            unfinished = nil
            isRegular = false
        }
    }

    deinit { unfinished?.remove() }

    /// Writes the next bytes.
    mutating func write(_ bytes: [UInt8]) throws(SystemError) {
        if isEmpty, isRegular, unfinished == nil { try file.truncate(to: 0) }
        isEmpty = false
        try file.write(bytes.span)
    }

    /// Makes sure that everything is on the disk, and gives a regular file its name.
    mutating func finish() throws(SystemError) {
        guard isRegular else { return }
        // Some errors of a full disk come only now.
        try file.sync()
        try unfinished?.replaceTarget()
    }
}

/// What stands at the path of an output.
private enum Destination {
    /// A regular file, or nothing yet: a file that is written beside `name` takes its place.
    case replaced(name: String, mode: mode_t?)
    /// A regular file in a folder that takes no new ones: it is written where it is.
    case overwritten
    /// A device, a FIFO or the like.
    case special

    init(_ path: String) throws(SystemError) {
        let name = try Self.name(at: path)
        var facts = stat()
        // The structure lives across the call, here and below.
        guard unsafe stat(path, &facts) == 0 else {
            guard errno == ENOENT else { throw SystemError(operation: "stat", path: path, code: errno) }
            self = .replaced(name: name, mode: nil)
            return
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw SystemError(operation: "open", path: path, code: EISDIR)
        default:
            self = .special
            return
        }
        guard unsafe access(path, W_OK) == 0 else {
            throw SystemError(operation: "stat", path: path, code: errno)
        }
        // A link of /proc may lead to a file that has no name any more.
        let isNamed = FileSystem.identity(of: name) == FileSystem.identity(of: path)
        let folder = Self.folder(of: name)
        let takesFiles = unsafe access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0
        self = isNamed && takesFiles ? .replaced(name: name, mode: facts.st_mode & 0o7777) : .overwritten
    }

    /// The path at the end of symbolic links, of which the last may lead to nothing yet.
    private static func name(at path: String) throws(SystemError) -> String {
        var name = path
        // As many as the kernel follows.
        for _ in 0..<40 {
            var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe target.withUnsafeMutableBytes {
                unsafe readlink(name, $0.baseAddress!, $0.count)
            }
            guard count > 0 else { return name }
            let text = String(decoding: target[..<count], as: UTF8.self)
            name = text.hasPrefix("/") ? text : folder(of: name) + text
        }
        throw SystemError(operation: "readlink", path: path, code: ELOOP)
    }

    /// The part of a path up to its last slash.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

/// A regular file that is being written, beside the name that it will take.
private final class PartialFile: Sendable {
    private let name: String
    private let path: String
    private let isThere = Mutex(false)

    init(for name: String) {
        self.name = name
        // Two processes that write to the same name must not write into each other's file.
        path = "\(name).\(getpid()).partial"
    }

    /// Makes the file, with the access rights of the one that it replaces.
    func create(mode: mode_t?) throws(SystemError) -> FileDescriptor {
        // One of an earlier process that had our number.
        try FileSystem.remove(path)
        let file = try FileDescriptor(
            path: path, options: [.writing, .create, .exclusive], permissions: 0o666)
        isThere.withLock { $0 = true }
        if let mode { fchmod(file.number, mode) }
        Interruption.shared.onRequest { [weak self] in self?.remove() }
        return file
    }

    /// Gives the file its final name, in place of what has it.
    func replaceTarget() throws(SystemError) {
        let code: Int32 = isThere.withLock { isThere in
            // Gone already where the process was asked to stop.
            guard isThere else { return EINTR }
            guard unsafe rename(path, name) == 0 else { return errno }
            isThere = false
            return 0
        }
        if code != 0 { throw SystemError(operation: "rename", path: path, code: code) }
    }

    /// Removes the file, where it has not taken its name.
    func remove() {
        isThere.withLock { isThere in
            if isThere { unsafe unlink(path) }
            isThere = false
        }
    }
}
