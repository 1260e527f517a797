/// An input whose bytes come once, a pipe or standard input, with the first of them, which were read to tell what it
/// is.
final class OpenedStream: Sendable {
    /// The bytes that were read.
    let front: [UInt8]
    /// Where the bytes after them come from.
    let file: InputFile

    init(front: [UInt8], file: consuming InputFile) {
        self.front = front
        self.file = file
    }
}
