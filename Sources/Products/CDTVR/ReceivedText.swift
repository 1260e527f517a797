import CDTVRHeader
import Glibc
import PlayerSession

/// A text that C hands over, copied.
enum ReceivedText {
    /// There is none.
    case none
    case text(String)
    case notUTF8

    /// Copies `length` bytes, or up to the NUL.
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

    /// How many bytes C hands over: `length`, or those up to the NUL; nil for a length that cannot be.
    static func byteCount(_ bytes: UnsafeRawPointer, _ length: Int) -> Int? {
        // SIZE_MAX, which C hands over as all ones.
        if length == -1 { return unsafe strlen(bytes.assumingMemoryBound(to: CChar.self)) }
        return length >= 0 ? length : nil
    }

    init(_ text: dtvr_text) { unsafe self.init(text.bytes, text.length) }

    /// The text as an argument of a call; nil where there is none.
    var value: MetadataValue? {
        if case .text(let text) = self { .text(text) } else { nil }
    }
}
