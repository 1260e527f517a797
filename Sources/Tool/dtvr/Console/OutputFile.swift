import Glibc
import HostSystem
import Synchronization

/// A file for results, opened like a shell's `>`: it follows symbolic links and accepts devices and FIFOs.
///
/// A regular file is written under a temporary name next to its target, and replaces the target when it is finished. An
/// unfinished file is removed, also when the process is interrupted.
struct OutputFile: ~Copyable {
    private let file: FileDescriptor
    private let unfinished: PartialFile?
    private let isRegular: Bool
    private var isEmpty = true

    /// Opens the output without changing an existing file.
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

    /// Syncs the file to disk, and gives a regular file its name.
    mutating func finish() throws(SystemError) {
        guard isRegular else { return }
        // Some errors of a full disk appear only on sync.
        try file.sync()
        try unfinished?.replaceTarget()
    }
}

/// The kind of file at the output path.
private enum Destination {
    /// A regular file or an unused name: a new file, written next to `name`, replaces it.
    case replaced(name: String, mode: mode_t?)
    /// A regular file in a folder where no file can be created: it is overwritten in place.
    case overwritten
    /// A device, a FIFO or similar.
    case special

    init(_ path: String) throws(SystemError) {
        let name = try Self.name(at: path)
        var facts = stat()
        // The structure outlives the call, here and below.
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
        // A link in /proc may lead to a file without a name.
        let isNamed = FileSystem.identity(of: name) == FileSystem.identity(of: path)
        let folder = Self.folder(of: name)
        let takesFiles = unsafe access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0
        self = isNamed && takesFiles ? .replaced(name: name, mode: facts.st_mode & 0o7777) : .overwritten
    }

    /// Resolves the symbolic links of a path; the last one may point to a missing file.
    private static func name(at path: String) throws(SystemError) -> String {
        var name = path
        // The kernel follows 40 links too.
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

    /// Returns the path up to and including its last slash.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }
}

/// A regular file that is being written next to its final name.
private final class PartialFile: Sendable {
    private let name: String
    private let path: String
    private let isThere = Mutex(false)

    init(for name: String) {
        self.name = name
        // Two processes that write to the same name need separate files.
        path = "\(name).\(getpid()).partial"
    }

    /// Creates the file with the permissions of the file that it replaces.
    func create(mode: mode_t?) throws(SystemError) -> FileDescriptor {
        // An earlier process with the same PID may have left one.
        try FileSystem.remove(path)
        let file = try FileDescriptor(
            path: path, options: [.writing, .create, .exclusive], permissions: 0o666)
        isThere.withLock { $0 = true }
        if let mode { fchmod(file.number, mode) }
        Interruption.shared.onRequest { [weak self] in self?.remove() }
        return file
    }

    /// Renames the file to its final name, replacing an existing file.
    func replaceTarget() throws(SystemError) {
        let code: Int32 = isThere.withLock { isThere in
            // The interruption handler has already removed the file.
            guard isThere else { return EINTR }
            guard unsafe rename(path, name) == 0 else { return errno }
            isThere = false
            return 0
        }
        if code != 0 { throw SystemError(operation: "rename", path: path, code: code) }
    }

    /// Removes the file unless it has its final name.
    func remove() {
        isThere.withLock { isThere in
            if isThere { unsafe unlink(path) }
            isThere = false
        }
    }
}
