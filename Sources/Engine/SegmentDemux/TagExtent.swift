internal import ID3v2

/// Whether an ID3 tag begins at some place, and how long it is by its header.
enum TagExtent {
    /// How many bytes a tag's header has.
    static let headerByteCount = ID3Header.length

    /// How many bytes decide whether a tag begins: a size that is not sync-safe counts only if a frame's header
    /// follows.
    static let decisionByteCount = 2 * ID3Header.length

    enum Measure: Hashable {
        case none
        /// The bytes may be the beginning of a tag; more of them would tell.
        case beginning
        /// A tag of this many bytes, its header and footer included.
        case tag(byteCount: Int)
    }

    /// Looks at the beginning of `range`; the bytes after the header decide where its size is ambiguous.
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
