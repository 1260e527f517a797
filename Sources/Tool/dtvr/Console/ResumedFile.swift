import ByteReading
import HostSystem
import TextForms

/// A file of verdicts that a command continues: one line for each input that was finished.
final class ResumedFile {
    private let file: LineFile
    /// The inputs that have a line, by the first half of the SHA-256 of their name: a million take about 40 MB.
    private var finished: Set<UInt128> = []

    /// Opens or creates the file, removes an incomplete last line, and reads the names of the finished inputs.
    init(path: String) throws(ResumeError) {
        file = try ResumeError.wrapping { () throws(SystemError) in
            try LineFile(path: path, permissions: 0o666)
        }
        guard file.lock() else { throw .inUse }
        try readLines()
    }

    /// Returns whether an input has a line.
    func contains(_ name: String) -> Bool { finished.contains(Self.key(of: name)) }

    /// Appends the line of an input.
    func append(_ line: [UInt8], of name: String) throws(SystemError) {
        try file.append(line, isSynced: false)
        finished.insert(Self.key(of: name))
    }

    /// Writes the lines to the disk.
    func finish() throws(SystemError) { try file.sync() }

    private func readLines() throws(ResumeError) {
        var number = 0
        var isForeign = false
        let end = try ResumeError.wrapping { () throws(SystemError) in
            try file.forEachLine { line, _ in
                number += 1
                guard let name = Self.source(of: line) else {
                    isForeign = true
                    return false
                }
                finished.insert(Self.key(of: name))
                return true
            }
        }
        if isForeign { throw .foreign(line: number) }
        let size = try ResumeError.wrapping { () throws(SystemError) in try file.size() }
        // What a killed process leaves is shorter than a line.
        guard size - end <= LineFile.maximumLineByteCount else { throw .foreign(line: number + 1) }
        if size > end {
            try ResumeError.wrapping { () throws(SystemError) in try file.truncate(to: end) }
        }
    }

    /// Returns the input that a line is about, or nil if it is not a verdict.
    private static func source(of line: [UInt8]) -> String? {
        var source: String?
        var hasVerdict = false
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: line.span, in: line.indices) { key, value, kind in
                guard kind == .string else { return }
                if JSONReader.string(line.span, in: key, is: "source") {
                    source = JSONReader.string(line.span, in: value)
                } else if JSONReader.string(line.span, in: key, is: "verdict") {
                    hasVerdict = true
                }
            }
        } catch {
            return nil
        }
        return hasVerdict ? source : nil
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
    /// A line is not a verdict, so the file is probably another one.
    case foreign(line: Int)

    var description: String {
        switch self {
        case .system(let error): "cannot be resumed: \(error.reason)"
        case .inUse: "is in use by another process"
        case .foreign(let line): "cannot be resumed: line \(line) is not the verdict on an input"
        }
    }

    fileprivate static func wrapping<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(ResumeError) -> Value {
        do throws(SystemError) { return try body() } catch { throw .system(error) }
    }
}
