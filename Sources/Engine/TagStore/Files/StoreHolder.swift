internal import HostSystem

/// The process that took a buffer last, and when: two that are equal mean that nobody has had it in between.
package struct StoreHolder: Sendable, Hashable {
    /// Its process id; nil where it could not leave one.
    package let processID: Int32?
    /// When it took the buffer, since 1970.
    package let since: Duration

    /// The one that a buffer's folder tells of; nil where nobody ever had it.
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

    /// The process that a lock's file names; nil where it names none.
    static func processID(in file: borrowing FileDescriptor) -> Int32? {
        do throws(SystemError) {
            let text = String(decoding: try file.firstBytes(16), as: UTF8.self)
            return Int32(text.prefix { $0.isNumber })
        } catch {
            return nil
        }
    }
}
