import Glibc
import Synchronization

/// A file that results are written to, as a shell's `>` would: through symbolic links, to devices and to FIFOs.
///
/// A regular file has its name only once it is complete: it is written beside its name and takes the place of what
/// stood there when it is finished. One that is not finished is removed, also when the process is asked to stop.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    private let partial: PartialFile?
    private let isRegular: Bool
    private var isEmpty = true

    /// Opens the output; what has the name already is not touched yet.
    init(path: String) throws(OutputError) {
        switch try Destination(path) {
        case .replaced(let name, let mode):
            let partial = PartialFile(for: name)
            descriptor = try partial.create(mode: mode)
            self.partial = partial
            isRegular = true
        case .overwritten:
            descriptor = try Self.open(path, O_WRONLY)
            partial = nil
            isRegular = true
        case .special:
            descriptor = try Self.open(path, O_WRONLY | O_NOCTTY)
            partial = nil
            isRegular = false
        }
    }

    deinit {
        close(descriptor)
        partial?.remove()
    }

    /// Writes the next bytes.
    mutating func write(_ bytes: [UInt8]) throws(OutputError) {
        if isEmpty, isRegular, partial == nil { try Self.check(ftruncate(descriptor, 0)) }
        isEmpty = false
        try OutputDescriptor.write(bytes, to: descriptor)
    }

    /// Makes sure that everything is on the disk, and gives a regular file its name.
    mutating func finish() throws(OutputError) {
        guard isRegular else { return }
        // Some errors of a full disk come only now.
        try Self.check(fsync(descriptor))
        try partial?.takeName()
    }

    fileprivate static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(OutputError)
        -> Int32
    {
        while true {
            let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw OutputError(code: errno) }
        }
    }

    fileprivate static func check(_ status: Int32) throws(OutputError) {
        if status != 0 { throw OutputError(code: errno) }
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

    init(_ path: String) throws(OutputError) {
        let name = try Self.name(at: path)
        var facts = stat()
        // The structure lives across the call, here and below.
        guard unsafe stat(path, &facts) == 0 else {
            guard errno == ENOENT else { throw OutputError(code: errno) }
            self = .replaced(name: name, mode: nil)
            return
        }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw OutputError(code: EISDIR)
        default:
            self = .special
            return
        }
        guard unsafe access(path, W_OK) == 0 else { throw OutputError(code: errno) }
        var named = stat()
        // A link of /proc may lead to a file that has no name any more.
        let isNamed =
            unsafe stat(name, &named) == 0 && named.st_dev == facts.st_dev && named.st_ino == facts.st_ino
        let folder = Self.folder(of: name)
        let takesFiles = unsafe access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0
        self = isNamed && takesFiles ? .replaced(name: name, mode: facts.st_mode & 0o7777) : .overwritten
    }

    /// The path at the end of symbolic links, of which the last may lead to nothing yet.
    private static func name(at path: String) throws(OutputError) -> String {
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
        throw OutputError(code: ELOOP)
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
    func create(mode: mode_t?) throws(OutputError) -> Int32 {
        // One of an earlier process that had our number.
        unsafe unlink(path)
        let descriptor = try OutputFile.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
        isThere.withLock { $0 = true }
        if let mode { fchmod(descriptor, mode) }
        Interruption.shared.onRequest { [weak self] in self?.remove() }
        return descriptor
    }

    /// Takes the name, in place of what has it.
    func takeName() throws(OutputError) {
        let code: Int32 = isThere.withLock { isThere in
            // Gone already where the process was asked to stop.
            guard isThere else { return EINTR }
            guard unsafe rename(path, name) == 0 else { return errno }
            isThere = false
            return 0
        }
        if code != 0 { throw OutputError(code: code) }
    }

    /// Removes the file, where it has not taken its name.
    func remove() {
        isThere.withLock { isThere in
            if isThere { unsafe unlink(path) }
            isThere = false
        }
    }
}
