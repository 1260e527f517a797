import ByteReading
import HostSystem
import TextForms

/// A file of lines of JSON that a command continues, by input.
final class ResumedFile {
    /// The lines of a file.
    enum Content {
        /// One line for each finished input.
        case verdicts
        /// A line for each tag. The last input may be incomplete, so its lines are removed.
        case tags

        /// The key that every line has beside `source`.
        fileprivate var key: StaticString { self == .verdicts ? "verdict" : "carriage" }
    }

    private let file: LineFile
    private let content: Content
    /// The inputs that had lines at the start, by the first half of the SHA-256 of their name, in ascending order: a
    /// million take 16 MB.
    private var found: [UInt128] = []
    /// The inputs that got lines since.
    private var added: Set<UInt128> = []

    /// Opens or creates the file, removes what is incomplete, and reads the names of the finished inputs.
    init(path: String, content: Content) throws(ResumeError) {
        self.content = content
        file = try ResumeError.wrapping { () throws(SystemError) in
            try LineFile(path: path, permissions: 0o666, followsLink: true)
        }
        guard file.lock() else { throw .inUse }
        try readLines()
    }

    /// Returns whether an input has a line, with its whole address or without secrets.
    func contains(_ name: String) -> Bool {
        if added.contains(Self.key(of: name)) { return true }
        return isFound(name) || isFound(PrintableAddress.of(name))
    }

    private func isFound(_ name: String) -> Bool {
        let key = Self.key(of: name)
        var range = found.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if found[middle] == key { return true }
            range = found[middle] < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }

    /// Appends lines of an input.
    func append(_ lines: [UInt8], of name: String) throws(SystemError) {
        try file.append(lines, isSynced: false)
        added.insert(Self.key(of: name))
    }

    /// Writes the lines to the disk.
    func finish() throws(SystemError) { try file.sync() }

    private func readLines() throws(ResumeError) {
        var number = 0
        var isForeign = false
        // The last input and the end of the lines before its lines.
        var last: (name: String, start: Int)?
        var previousEnd = 0
        var end = try ResumeError.wrapping { () throws(SystemError) in
            try file.forEachLine { line, end in
                number += 1
                guard let name = source(of: line) else {
                    isForeign = true
                    return false
                }
                if last?.name != name {
                    found.append(Self.key(of: name))
                    last = (name, previousEnd)
                }
                previousEnd = end
                return true
            }
        }
        if isForeign { throw .foreign(content, line: number) }
        let size = try ResumeError.wrapping { () throws(SystemError) in try file.size() }
        // The rest that a killed process leaves is shorter than a line.
        guard size - end <= LineFile.maximumLineByteCount else {
            throw .foreign(content, line: number + 1)
        }
        // Without a complete line, nothing shows that the file is one of this command.
        if number == 0, size > 0 { throw .foreign(content, line: 1) }
        if content == .tags, let last {
            let key = Self.key(of: last.name)
            found.removeAll { $0 == key }
            end = last.start
        }
        found.sort()
        if size > end {
            try ResumeError.wrapping { () throws(SystemError) in try file.truncate(to: end) }
        }
    }

    /// Returns the input that a line is about, or nil if the line has another content.
    private func source(of line: [UInt8]) -> String? {
        var source: String?
        var isContent = false
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: line.span, in: line.indices) { key, value, kind in
                guard kind == .string else { return }
                if JSONReader.string(line.span, in: key, is: "source") {
                    source = JSONReader.string(line.span, in: value)
                } else if JSONReader.string(line.span, in: key, is: content.key) {
                    isContent = true
                }
            }
        } catch {
            return nil
        }
        return isContent ? source : nil
    }

    private static func key(of name: String) -> UInt128 {
        Digest.sha256(Array(name.utf8)).prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }
}

/// An error of a file that cannot be continued.
enum ResumeError: Error, CustomStringConvertible {
    /// It cannot be read or changed.
    case system(SystemError)
    /// Another process continues it.
    case inUse
    /// A line has another content, so the file is probably another one.
    case foreign(ResumedFile.Content, line: Int)

    var description: String {
        switch self {
        case .system(let error): "cannot be resumed: \(error.reason)"
        case .inUse: "is in use by another process"
        case .foreign(.verdicts, let line): "cannot be resumed: line \(line) is not the verdict on an input"
        case .foreign(.tags, let line): "cannot be resumed: line \(line) is not a tag of an input"
        }
    }

    fileprivate static func wrapping<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(ResumeError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
