import TextForms

/// A list in the content of a record, limited in size.
struct RecordList: Sendable {
    /// The number of elements, including those left out.
    private(set) var count = 0
    /// Whether elements were left out, because there was no room for them.
    private(set) var isTruncated = false
    private var json: [UInt8] = []
    private let maximumByteCount: Int

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Adds an element; returns false if there is no room for it.
    mutating func add(_ body: (inout JSONWriter) -> Void) -> Bool {
        count += 1
        var writer = JSONWriter(capacity: 64)
        body(&writer)
        guard json.count + writer.bytes.count + 1 <= maximumByteCount else {
            isTruncated = true
            return false
        }
        if !json.isEmpty { json.append(UInt8(ascii: ",")) }
        json += writer.bytes
        return true
    }

    /// Writes the list, unless it is empty.
    func write(_ key: String, to content: inout RecordContent) {
        if count == 0 { return }
        content.add { writer in
            writer.key(key)
            writer.beginArray()
            if !json.isEmpty { writer.value(json: json.span) }
            writer.endArray()
        }
        if isTruncated { content.omit(key) }
    }
}
