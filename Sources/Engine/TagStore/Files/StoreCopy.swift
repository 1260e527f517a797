import Glibc
internal import HostSystem

/// A temporary copy of a buffer's files, for inspecting a buffer that is not writable.
///
/// Opening a buffer writes to it: it checkpoints the log and repairs damage. The copy is deleted with this object.
final class StoreCopy: Sendable {
    /// The directory of the copy.
    let directory: String

    /// Copies the files, unless a process holds the buffer.
    init(of original: StoreFolder, in temporaryFolder: String) throws(StoreError) {
        directory = "\(temporaryFolder)/dtvr-\(TagID.random().text)"
        let new = StoreFolder(path: directory)
        do throws(SystemError) {
            if FileSystem.byteCount(of: original.lock) != nil {
                let lock = try FileDescriptor(path: original.lock, options: [.reading, .noFollow])
                guard lock.tryLock() else {
                    throw SystemError(operation: "flock", path: original.lock, code: EAGAIN)
                }
            }
            try FileSystem.makeDirectory(directory)
            for (old, new) in [
                (original.database, new.database), (original.writeAheadLog, new.writeAheadLog),
                (original.damagedDatabase, new.damagedDatabase),
                (original.damagedWriteAheadLog, new.damagedWriteAheadLog),
                (original.highWaterMark, new.highWaterMark), (original.status, new.status),
            ] where FileSystem.byteCount(of: old) != nil {
                try Self.copy(old, to: new)
            }
        } catch {
            if error.code == EAGAIN { throw .inUse(pid: StoreHolder.last(of: original.path)?.processID) }
            throw .system(error)
        }
    }

    deinit {
        do throws(SystemError) {
            for name in try FileSystem.names(in: directory) { try FileSystem.remove(directory + "/" + name) }
            _ = unsafe rmdir(directory)
        } catch {
            // The system cleans up its temporary folder.
        }
    }

    private static func copy(_ path: String, to new: String) throws(SystemError) {
        let source = try FileDescriptor(path: path, options: [.reading, .noFollow])
        guard try source.kind() == .regularFile else { return }
        let target = try FileDescriptor(path: new, options: [.writing, .create, .exclusive])
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try source.read(into: &buffer)
            if count == 0 { return }
            try target.write(buffer.span.extracting(0..<count))
        }
    }
}
