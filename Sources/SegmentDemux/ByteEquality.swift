internal import TimedMedia

extension Span<UInt8> {
    /// Whether both have the same bytes.
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Whether these bytes are those of an ASCII text, no more and no less.
    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && hasASCII(text, at: 0) }
}
