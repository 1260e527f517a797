public import HostSystem

/// What keeps a buffer from opening, or from doing what it was asked to.
public enum StoreError: Error, Sendable, Hashable {
    /// Another owner holds the buffer; its process id, where it left one.
    case inUse(pid: Int32?)
    /// The path, or a part of it, is a file.
    case notADirectory(path: String)
    /// The directory cannot be written: a read-only file system, or no permission.
    case readOnly(path: String)
    /// A call of the operating system failed.
    case system(SystemError)
    /// The library that compresses has no memory, or refuses a dictionary.
    case compression(String)
    /// The buffer was written by a later version of the library.
    case newerSchema(found: Int64)
    /// SQLite refused, with its extended result code.
    case database(code: Int32, message: String)
    /// The database is damaged, and could not be set aside either.
    case damaged(path: String, reason: String)
    /// The database in the directory is somebody else's file; it was left as it is.
    case notAStore(path: String)
    /// The directory, or the store in it, was removed while it was open.
    case removed(path: String)
    /// The buffer holds as much as it may, and its policy is to refuse the newest.
    case full
    /// One append, once compressed, is larger than `limit` bytes.
    case appendTooLarge(byteCount: Int, limit: Int)
    /// More appends wait for the disk than memory is set aside for.
    case overloaded
    /// The buffer was closed.
    case closed
    /// A setting, or an argument, is outside its range.
    case invalidSetting(name: String)

    /// Whether the same call may succeed later without anything having been changed by hand.
    public var isRetriable: Bool {
        switch self {
        case .inUse, .full, .overloaded, .system, .compression, .database: true
        case .notADirectory, .readOnly, .newerSchema, .damaged, .notAStore, .removed, .appendTooLarge,
            .closed, .invalidSetting:
            false
        }
    }
}

extension StoreError {
    /// Whether the disk has no room.
    var isDiskFull: Bool {
        if case .database(let code, let message) = self {
            SQLiteFailure(code: code, message: message).isDiskFull
        } else {
            false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The error as one line for people.
    public var description: String {
        switch self {
        case .inUse(let pid): "the buffer is held by \(pid.map { "process \($0)" } ?? "another process")"
        case .notADirectory(let path): "\(path) is not a directory"
        case .readOnly(let path): "\(path) cannot be written"
        case .system(let error): error.description
        case .compression(let text): text
        case .newerSchema(let found): "the buffer was written by a later version (schema \(found))"
        case .database(let code, let message): "database error \(code): \(message)"
        case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
        case .notAStore(let path): "\(path) is not the database of a buffer, and was left as it is"
        case .removed(let path): "\(path) was removed while it was in use, and the tags in it with it"
        case .full: "the buffer is full, and refuses the newest"
        case .appendTooLarge(let byteCount, let limit): "an append of \(byteCount) bytes is above \(limit)"
        case .overloaded: "too many appends wait for the disk"
        case .closed: "the buffer is closed"
        case .invalidSetting(let name): "\(name) is outside its range"
        }
    }
}
