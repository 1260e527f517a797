internal import FoundationEssentials
internal import HostSystem

/// The status that a buffer's owner leaves for others: replaced as a whole, so that it is read whole or not at all.
enum StatusFile {
    /// What the file may take.
    static let maximumByteCount = 4_096

    /// What the owner of a buffer wrote last; nil where there is nothing, or it is damaged.
    static func read(in folder: StoreFolder) -> StoreStatus? {
        do throws(SystemError) {
            let file = try FileDescriptor(path: folder.status, options: [.reading, .noFollow, .nonblocking])
            return status(of: try file.firstBytes(maximumByteCount))
        } catch {
            return nil
        }
    }

    /// The status of those bytes; nil where they are damaged.
    static func status(of bytes: [UInt8]) -> StoreStatus? {
        do {
            return try JSONDecoder().decode(StoreStatus.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Writes a status in place of the one before; what cannot be written is written next time.
    static func write(_ status: StoreStatus, in folder: StoreFolder) {
        let encoder = JSONEncoder()
        // Escaped, the slashes of base64 could double its length.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = [UInt8](try encoder.encode(status))
            let file = try FileDescriptor(
                path: folder.nextStatus, options: [.writing, .create, .truncate, .noFollow])
            try file.write(bytes.span)
            try FileSystem.rename(folder.nextStatus, to: folder.status)
        } catch {
            // A full disk, as a rule: the older status stays, with its time in it.
        }
    }
}
