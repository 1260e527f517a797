/// A pipe or standard input, with the bytes that were already read to detect its type.
final class OpenedStream: Sendable {
    /// The bytes that were already read.
    let front: [UInt8]
    /// The source of the remaining bytes.
    let file: InputFile

    init(front: [UInt8], file: consuming InputFile) {
        self.front = front
        self.file = file
    }
}
