import Glibc
import Synchronization

extension FileSystem {
    /// Replaces a file atomically and durably with a private file: readers see the old or the new content, even after a
    /// power failure.
    ///
    /// Concurrent writers in threads and processes each use their own temporary file, and the last rename wins. The
    /// next replacement removes the temporary files of killed processes.
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
            // If the open fails because the file exists, it belongs to another writer.
            if error.operation != "open" { unsafe unlink(temporary) }
            throw error
        }
        try syncDirectory(directory)
    }

    /// Returns a number that is unique among the temporary files of this process.
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
            // The replacement itself reports problems with the directory.
            return
        }
        for other in names where other.hasPrefix(prefix) {
            let parts = other.dropFirst(prefix.count).split(separator: "-")
            let writer = parts.first.flatMap { pid_t($0) }
            if let writer, kill(writer, 0) != 0, errno == ESRCH { unsafe unlink("\(directory)\(other)") }
        }
    }

    /// Returns a path with symbolic links, `.`, `..` and repeated slashes resolved.
    ///
    /// If the path does not exist, its existing part is resolved. Two spellings of a directory therefore compare equal
    /// whether or not it exists.
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

    /// Returns the path of a file in a folder whose path is resolved; the file itself may be a symbolic link.
    package static func canonicalPath(ofFileAt path: String) -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let parent = canonicalPath(folder)
        return parent.hasSuffix("/") ? parent + name : "\(parent)/\(name)"
    }

    private static func resolved(_ path: String) -> String? {
        // The path is borrowed for the call; the caller must free the result.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
