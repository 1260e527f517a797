internal import FoundationEssentials
internal import HostSystem

/// The status file that a buffer's owner writes for other processes.
///
/// It is replaced atomically, so readers see either a complete status or none.
enum StatusFile {
    /// The maximum size of the file, in bytes.
    static let maximumByteCount = 4_096

    /// Reads the last status of a buffer; nil if there is none, or it is damaged.
    static func read(in folder: StoreFolder) -> StoreStatus? {
        do throws(SystemError) {
            let file = try FileDescriptor(path: folder.status, options: [.reading, .noFollow, .nonblocking])
            return status(of: try file.firstBytes(maximumByteCount))
        } catch {
            return nil
        }
    }

    /// Decodes a status; nil if it is damaged.
    static func status(of bytes: [UInt8]) -> StoreStatus? {
        do {
            return try JSONDecoder().decode(StoreStatus.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Replaces the status file; a failed write is left to the next status.
    static func write(_ status: StoreStatus, in folder: StoreFolder) {
        let encoder = JSONEncoder()
        // Escaping the slashes of base64 could double its length.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = [UInt8](try encoder.encode(status))
            let file = try FileDescriptor(
                path: folder.nextStatus, options: [.writing, .create, .truncate, .noFollow])
            try file.write(bytes.span)
            try FileSystem.rename(folder.nextStatus, to: folder.status)
        } catch {
            // Usually the disk is full. The older status stays, with its timestamp.
        }
    }
}
