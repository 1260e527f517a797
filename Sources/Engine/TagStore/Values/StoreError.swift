public import HostSystem

/// An error from opening a buffer or from an operation on it.
public enum StoreError: Error, Sendable, Hashable {
    /// Another owner holds the buffer, or another uploader delivers from it; `pid` is the id of its process, if known.
    case inUse(pid: Int32?)
    /// The path, or one of its parents, is a file.
    case notADirectory(path: String)
    /// The directory is not writable: the file system is read-only, or permission is denied.
    case readOnly(path: String)
    /// Another user owns the folder, a file or the socket of the buffer, or every user may write to it; nothing was
    /// stored there.
    case untrusted(path: String, reason: String)
    /// A system call failed.
    case system(SystemError)
    /// The compression library is out of memory or rejects a dictionary.
    case compression(String)
    /// A later version of the library wrote the buffer.
    case newerSchema(found: Int64)
    /// SQLite failed with this extended result code.
    case database(code: Int32, message: String)
    /// The database is damaged and could not be set aside.
    case damaged(path: String, reason: String)
    /// The database in the directory does not belong to a buffer and was left unchanged.
    case notAStore(path: String)
    /// The directory, or the store in it, was removed while the buffer was open.
    case removed(path: String)
    /// The buffer is at its size limit and its policy is `refuseNewest`.
    case full
    /// The compressed size of one append exceeds `limit` bytes.
    case appendTooLarge(byteCount: Int, limit: Int)
    /// The appends that wait for a commit exceed the memory reserved for them.
    case overloaded
    /// The buffer was closed.
    case closed
    /// A setting or an argument is out of range.
    case invalidSetting(name: String)
    /// The process that owns the buffer refused a request, or did not respond.
    case remote(reason: String)

    /// Whether the same call may succeed later without manual intervention.
    public var isRetriable: Bool {
        switch self {
        case .inUse, .full, .overloaded, .system, .compression, .database, .remote: true
        case .notADirectory, .readOnly, .untrusted, .newerSchema, .damaged, .notAStore, .removed,
            .appendTooLarge, .closed, .invalidSetting:
            false
        }
    }
}

extension StoreError {
    /// Performs a system call and wraps its error.
    package static func wrapping<Value: ~Copyable>(
        _ call: () throws(SystemError) -> Value
    ) throws(StoreError) -> Value {
        do throws(SystemError) {
            return try call()
        } catch {
            throw .system(error)
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// A one-line description for humans.
    public var description: String {
        switch self {
        case .inUse(let pid): "the buffer is held by \(pid.map { "process \($0)" } ?? "another process")"
        case .notADirectory(let path): "\(path) is not a directory"
        case .readOnly(let path): "\(path) cannot be written"
        case .untrusted(let path, let reason):
            "\(path) is not trusted: \(reason); use another folder, or change its owner or permissions"
        case .system(let error): error.description
        case .compression(let text): text
        case .newerSchema(let found): "the buffer was written by a later version (schema \(found))"
        // SQLite has no error 0: the message says all.
        case .database(0, let message): message
        case .database(let code, let message): "database error \(code): \(message)"
        case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
        case .notAStore(let path): "\(path) is not the database of a buffer, and was not changed"
        case .removed(let path): "\(path) was removed while in use; its tags are lost"
        case .full: "the buffer is full and refuses new tags"
        case .appendTooLarge(let byteCount, let limit):
            "an append of \(byteCount) bytes exceeds the limit of \(limit)"
        case .overloaded: "too many appends wait for the disk"
        case .closed: "the buffer is closed"
        case .invalidSetting(let name): "\(name) is out of range"
        case .remote(let reason): reason
        }
    }
}
