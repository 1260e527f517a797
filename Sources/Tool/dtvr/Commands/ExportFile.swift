import Foundation

/// A file that stands under its name only once it is whole.
///
/// It is written beside its name and takes the name's place when it is finished; the first failure is kept, and
/// what is written after it has no effect.
struct ExportFile {
    private let path: String
    private let partialPath: String
    private let handle: FileHandle?
    private var failure: String?

    init(path: String) {
        self.path = path
        partialPath = "\(path).partial"
        let isMade = FileManager.default.createFile(atPath: partialPath, contents: nil)
        handle = isMade ? FileHandle(forWritingAtPath: partialPath) : nil
        if handle == nil { failure = "cannot be written" }
    }

    mutating func write(_ bytes: [UInt8]) {
        guard failure == nil else { return }
        attempt { handle throws in try handle.write(contentsOf: Data(bytes)) }
    }

    /// Puts the file in its place; returns what went wrong, or nil.
    mutating func finish() -> String? {
        attempt { handle throws in
            try handle.synchronize()
            try handle.close()
        }
        if failure == nil {
            // Both paths are strings of ours that live through the call.
            let status = unsafe rename(partialPath, path)
            if status != 0 { failure = "cannot take its name" }
        }
        return failure
    }

    private mutating func attempt(_ body: (FileHandle) throws -> Void) {
        guard let handle else { return }
        do {
            try body(handle)
        } catch {
            failure = failure ?? error.localizedDescription
        }
    }
}
