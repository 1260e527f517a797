import Glibc

extension FileSystem {
    /// Replaces a file atomically and durably with a private file: readers see the old or the new content, even after a
    /// power failure.
    ///
    /// Concurrent writers in threads, processes and containers each use their own temporary file, and the last rename
    /// wins. The next replacement removes the temporary files of writers that ended.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        removeAbandoned(of: name, in: directory)
        while try !write(bytes, beside: path) {}
        try syncDirectory(directory)
    }

    /// Writes a temporary file and renames it; returns false if another writer took it for abandoned.
    private static func write(_ bytes: [UInt8], beside path: String) throws(SystemError) -> Bool {
        // Processes in two containers may have the same number.
        let temporary = "\(path).next-\(UInt64.random(in: 0...UInt64.max))"
        let file = try FileDescriptor(path: temporary, options: [.writing, .create, .exclusive, .noFollow])
        do throws(SystemError) {
            // The lock shows other writers that the file is in use. Where the file system has no locks, no file counts
            // as abandoned.
            if !file.tryLock(), errno == EWOULDBLOCK { try file.lock() }
            if try file.isRemoved() { return false }
            try file.write(bytes.span)
            try file.sync()
            try rename(temporary, to: path)
            return true
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Removes the temporary files that no writer has locked.
    private static func removeAbandoned(of name: String, in directory: String) {
        let prefix = "\(name).next-"
        let names: [String]
        do throws(SystemError) {
            names = try self.names(in: directory)
        } catch {
            // The replacement itself reports problems with the directory.
            return
        }
        for other in names where other.hasPrefix(prefix) { removeIfAbandoned(directory + other) }
    }

    private static func removeIfAbandoned(_ path: String) {
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, options: [.writing, .noFollow, .nonblocking])
            if file.tryLock() { unsafe unlink(path) }
        } catch {
            // It is gone, belongs to another user, or is another kind of entry.
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
