internal import ByteReading
internal import HostSystem

/// The pages of a database with the changes in its log, read without SQLite.
final class DatabasePages {
    /// The number of pages after the last commit in the log.
    let count: Int
    let log: LogFrames
    private let file: FileDescriptor?
    private var buffer = [UInt8](repeating: 0, count: StoreBudget.pageByteCount)

    /// Opens a database and its log; both may be missing.
    init(database: String, log path: String) throws(SystemError) {
        if FileSystem.byteCount(of: database) == nil {
            file = nil
        } else {
            file = try FileDescriptor(path: database, options: [.reading, .noFollow])
        }
        log = try Self.log(at: path)
        let byteCount = try file?.byteCount() ?? 0
        let fileCount = (byteCount + StoreBudget.pageByteCount - 1) / StoreBudget.pageByteCount
        // After the last page of a commit, the file may still contain pages that were moved or freed.
        count = min(log.pageCount ?? fileCount, fileCount + log.frameCount)
    }

    /// Reads the frames of a log, which may be missing.
    static func log(at path: String) throws(SystemError) -> LogFrames {
        guard FileSystem.byteCount(of: path) != nil else { return LogFrames([]) }
        let file = try FileDescriptor(path: path, options: [.reading, .noFollow])
        return LogFrames(try file.firstBytes(maximumLogByteCount))
    }

    /// The maximum size that is read of a log: far more than a store ever writes.
    private static let maximumLogByteCount = 1 << 28

    /// Returns the pages of every log frame and the file pages that have a newer copy in the log.
    func hiddenPages() -> some Sequence<[UInt8]> {
        let numbers = log.pageOffsets.keys.sorted().lazy.compactMap { self.pageOfTheFile($0) }
        let frames = (0..<log.frameCount).lazy.map { self.log.page(ofFrame: $0) }
        return [AnySequence(frames), AnySequence(numbers)].lazy.joined()
    }

    /// Returns a page by its number, starting at 1; nil if it does not exist or is not readable.
    ///
    /// Bytes missing at the end of a truncated file are read as zero.
    func page(_ number: Int) -> [UInt8]? {
        guard (1...max(1, count)).contains(number) else { return nil }
        return log.page(number) ?? pageOfTheFile(number)
    }

    private func pageOfTheFile(_ number: Int) -> [UInt8]? {
        do throws(SystemError) {
            let start = (number - 1) * StoreBudget.pageByteCount
            guard let read = try file?.read(into: &buffer, at: start), read > 0 else { return nil }
            return buffer[..<read] + [UInt8](repeating: 0, count: StoreBudget.pageByteCount - read)
        } catch {
            return nil
        }
    }
}
