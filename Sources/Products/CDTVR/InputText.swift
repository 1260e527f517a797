import CDTVRHeader
import Glibc
import PlayerSession

/// A copy of a text argument from C.
enum InputText {
    /// A null pointer.
    case none
    case text(String)
    case notUTF8

    /// Copies `length` bytes, or those up to the NUL if `length` is `DTVR_TO_NUL`.
    init(_ bytes: UnsafePointer<CChar>?, _ length: Int) {
        guard let bytes = unsafe bytes else {
            self = .none
            return
        }
        guard let count = unsafe Self.byteCount(bytes, length) else {
            self = .notUTF8
            return
        }
        let buffer = unsafe UnsafeBufferPointer(start: bytes, count: count)
        let text = unsafe buffer.withMemoryRebound(to: UInt8.self) {
            unsafe String(validating: $0, as: UTF8.self)
        }
        self = text.map { .text($0) } ?? .notUTF8
    }

    /// Returns the number of bytes in an argument: `length`, or those up to the NUL; nil for an impossible length.
    static func byteCount(_ bytes: UnsafeRawPointer, _ length: Int) -> Int? {
        // DTVR_TO_NUL is SIZE_MAX, which arrives here as -1.
        if length == -1 { return unsafe strlen(bytes.assumingMemoryBound(to: CChar.self)) }
        return length >= 0 ? length : nil
    }

    init(_ text: dtvr_text) { unsafe self.init(text.bytes, text.length) }

    /// The text as an argument of a call; nil if there is none.
    var value: MetadataValue? {
        if case .text(let text) = self { .text(text) } else { nil }
    }
}
