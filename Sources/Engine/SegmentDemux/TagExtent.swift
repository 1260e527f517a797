internal import ID3v2

/// Detects the start of an ID3 tag and reads its length from the header.
enum TagExtent {
    /// The length of a tag header, in bytes.
    static let headerByteCount = ID3Header.length

    /// The number of bytes needed to detect a tag.
    ///
    /// A size that is not sync-safe is accepted only if a frame header follows.
    static let decisionByteCount = 2 * ID3Header.length

    /// The number of bytes after which no header can turn out to be invalid: an extended header follows the first ten
    /// bytes, and unsynchronisation can double its size.
    static let confirmationByteCount = 3 * ID3Header.length

    enum Measure: Hashable {
        case none
        /// The bytes may be the start of a tag; more bytes are needed to decide.
        case beginning
        /// A tag of this many bytes, including its header and footer.
        case tag(byteCount: Int)
    }

    /// Measures the tag at the start of `range`, using the bytes after the header if its size is ambiguous.
    static func measure(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Measure {
        guard let first = range.first, bytes[first] == UInt8(ascii: "I") else { return .none }
        let candidate = bytes.extracting(range)
        if ID3Header.isPlausible(candidate, at: 0) {
            do throws(ID3Error) {
                return .tag(byteCount: try ID3Header(candidate).tagLength)
            } catch {
                return .none
            }
        }
        return candidate.count < decisionByteCount && hasPlausibleBeginning(candidate) ? .beginning : .none
    }

    private static func hasPlausibleBeginning(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, 5) {
            let isPlausible =
                switch index {
                case 0: bytes[index] == UInt8(ascii: "I")
                case 1: bytes[index] == UInt8(ascii: "D")
                case 2: bytes[index] == UInt8(ascii: "3")
                case 3: ID3Version(rawValue: bytes[index]) != nil
                default: bytes[index] != 0xFF
                }
            guard isPlausible else { return false }
        }
        return true
    }
}
