import Glibc
import Synchronization

extension FileSystem {
    /// Writes a file of its owner alone in place of one that may be there, so that it is read whole or not at all, also
    /// after a power cut.
    ///
    /// Threads and processes that replace the same file at the same time each write a temporary file of their own: the last
    /// one to rename its file wins. What a killed process has left is removed by the next replacement.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        removeAbandoned(of: name, in: directory)
        let temporary = "\(path).next-\(getpid())-\(temporaryNumber())"
        do throws(SystemError) {
            let file = try FileDescriptor(
                path: temporary, options: [.writing, .create, .exclusive, .noFollow])
            try file.write(bytes.span)
            try file.sync()
            try rename(temporary, to: path)
        } catch {
            // A file that exists already is another writer's.
            if error.operation != "open" { unsafe unlink(temporary) }
            throw error
        }
        try syncDirectory(directory)
    }

    /// A number that no other temporary file of this process has.
    private static func temporaryNumber() -> Int {
        temporaryCount.add(1, ordering: .relaxed).newValue
    }

    private static let temporaryCount = Atomic(0)

    /// Removes the temporary files of processes that no longer exist.
    private static func removeAbandoned(of name: String, in directory: String) {
        let prefix = "\(name).next"
        let names: [String]
        do throws(SystemError) {
            names = try self.names(in: directory)
        } catch {
            // The replacement itself says what is wrong with the directory.
            return
        }
        for other in names where other.hasPrefix(prefix) {
            let parts = other.dropFirst(prefix.count).split(separator: "-")
            // Earlier releases had one name for all.
            let isAbandoned =
                parts.isEmpty
                || parts.first.flatMap { pid_t($0) }.map { kill($0, 0) != 0 && errno == ESRCH } ?? false
            if isAbandoned { unsafe unlink("\(directory)\(other)") }
        }
    }

    /// The path of a file or directory with symbolic links, `.`, `..` and repeated slashes resolved.
    ///
    /// Of a path that does not exist yet, the part that does is resolved: two spellings of a directory are equal whether it
    /// has been made or not.
    package static func canonicalPath(_ path: String) -> String {
        if let resolved = resolved(path) { return resolved }
        var parts = path.split(separator: "/").map(String.init)
        var rest: [String] = []
        let root = path.hasPrefix("/") ? "/" : ""
        while let last = parts.popLast() {
            rest.insert(last, at: 0)
            let parent = parts.isEmpty ? (root.isEmpty ? "." : root) : root + parts.joined(separator: "/")
            guard let base = resolved(parent) else { continue }
            var components = base.split(separator: "/").map(String.init)
            for part in rest where part != "." {
                if part == ".." { _ = components.popLast() } else { components.append(part) }
            }
            return "/" + components.joined(separator: "/")
        }
        return path
    }

    private static func resolved(_ path: String) -> String? {
        // The text is lent for the call; the answer is the caller's to free.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
