import ByteReading
import HostSystem
import TextForms

/// A file of JSON lines that a command continues: one line for each input that was finished.
///
/// Each line is appended whole. A process that is killed leaves at most a partial last line, which the next one removes.
final class ResumedFile {
    /// The maximum length of a line, in bytes; a verdict is far shorter.
    private static let maximumLineByteCount = 64 << 20

    private let file: FileDescriptor
    /// The inputs that have a line, by the first half of the SHA-256 of their name: a million take about 40 MB.
    private var finished: Set<UInt128> = []

    /// The number of inputs that have a line.
    var count: Int { finished.count }

    /// Opens or creates the file, removes a partial last line, and reads the names of the finished inputs.
    init(path: String) throws(ResumeError) {
        file = try Self.open(path)
        guard file.tryLock() else { throw .inUse }
        try readLines()
    }

    private static func open(_ path: String) throws(ResumeError) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor(
                path: path, options: [.readingAndWriting, .create, .append], permissions: 0o666)
        } catch {
            throw .unreadable(reason: error.reason)
        }
    }

    /// Returns whether an input has a line.
    func contains(_ name: String) -> Bool { finished.contains(Self.key(of: name)) }

    /// Appends the line of an input.
    func append(_ line: [UInt8], of name: String) throws(SystemError) {
        try file.write(line.span)
        finished.insert(Self.key(of: name))
    }

    /// Writes the lines to the disk.
    func finish() throws(SystemError) { try file.sync() }

    private func readLines() throws(ResumeError) {
        var lines = LineSplitter(maximumByteCount: Self.maximumLineByteCount)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var byteCount = 0
        // The length of the file up to its last line end.
        var wholeByteCount = 0
        while case let count = try read(into: &buffer, at: byteCount), count > 0 {
            let piece = buffer[..<count]
            if let end = piece.lastIndex(of: 0x0A) { wholeByteCount = byteCount + end + 1 }
            byteCount += count
            lines.append(piece)
            while let line = lines.next() {
                guard case .text(let bytes) = line, let name = Self.source(of: bytes) else {
                    throw .foreign(line: lines.number)
                }
                finished.insert(Self.key(of: name))
            }
        }
        guard byteCount > wholeByteCount else { return }
        do throws(SystemError) {
            try file.truncate(to: wholeByteCount)
        } catch {
            throw .unreadable(reason: error.reason)
        }
    }

    private func read(into buffer: inout [UInt8], at offset: Int) throws(ResumeError) -> Int {
        do throws(SystemError) {
            return try file.read(into: &buffer, at: offset)
        } catch {
            throw .unreadable(reason: error.reason)
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
    case unreadable(reason: String)
    /// Another process continues it.
    case inUse
    /// A line is not a verdict, so the file is probably another one.
    case foreign(line: Int)

    var description: String {
        switch self {
        case .unreadable(let reason): "cannot be resumed: \(reason)"
        case .inUse: "is in use by another process"
        case .foreign(let line): "cannot be resumed: line \(line) is not the verdict on an input"
        }
    }
}
