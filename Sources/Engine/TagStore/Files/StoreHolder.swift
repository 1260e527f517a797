internal import HostSystem

/// The process that last opened a buffer, and the time when it did.
///
/// Two equal values mean that no other process opened the buffer in between.
package struct StoreHolder: Sendable, Hashable {
    /// The process id; nil if the lock file contains none.
    package let processID: Int32?
    /// The time when it opened the buffer, since 1970.
    package let since: Duration

    /// Returns the last holder of a buffer; nil if there never was one.
    package static func last(of directory: String) -> StoreHolder? {
        let path = StoreFolder(path: directory).lock
        guard let since = FileSystem.modificationTime(of: path) else { return nil }
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, options: [.reading, .noFollow, .nonblocking])
            return StoreHolder(processID: processID(in: file), since: since)
        } catch {
            return StoreHolder(processID: nil, since: since)
        }
    }

    /// Reads the process id in a lock file; nil if there is none.
    static func processID(in file: borrowing FileDescriptor) -> Int32? {
        do throws(SystemError) {
            let text = String(decoding: try file.firstBytes(16), as: UTF8.self)
            return Int32(text.prefix { $0.isNumber })
        } catch {
            return nil
        }
    }
}
