import TextForms

/// The keys of an object that is written often, in their order and ready to be copied: in quotes, with their colons.
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

    /// Writes the keys and their values; those of fields that are absent are left out.
    @inline(__always)
    func write(to writer: inout JSONWriter, _ field: (TagKey) -> TagFieldValue) {
        var start = 0
        for (key, end) in zip(keys, ends) {
            let value = field(key)
            if value != .absent {
                writer.key(prepared: text.span.extracting(start..<end))
                writer.write(value)
            }
            start = end
        }
    }
}
