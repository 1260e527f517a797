import TextForms

/// The keys of a frequently written object, in order and already encoded with quotes and colons.
struct PreparedKeys: Sendable {
    private let keys: [TagKey]
    private let text: [UInt8]
    private let ends: [Int]

    init(_ keys: [TagKey]) {
        self.keys = keys
        var text: [UInt8] = []
        ends = keys.map { key in
            text += "\"\(key.rawValue)\":".utf8
            return text.count
        }
        self.text = text
    }

    /// Writes the keys and their values, and omits the fields that are absent.
    @inline(__always)
    func write(to writer: inout JSONWriter, _ field: (TagKey) -> TagFieldValue) {
        var start = 0
        for (key, end) in zip(keys, ends) {
            let value = field(key)
            switch value {
            case .absent: break
            default:
                writer.key(prepared: text.span.extracting(start..<end))
                writer.write(value)
            }
            start = end
        }
    }
}
