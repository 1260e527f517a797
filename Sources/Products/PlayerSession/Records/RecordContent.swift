import TextForms

/// The content of a record: a JSON object, with the objects that the app passed limited in size.
struct RecordContent {
    /// The maximum size of the app's objects in a record, in bytes; larger ones lose whole keys, the largest first.
    static let maximumByteCount = 16_384
    /// The maximum nesting depth of a value; a deeper one is left out.
    private static let maximumDepth = 16
    /// The maximum number of names of keys that are left out, and of the characters of a name; all keys are counted.
    private static let maximumOmittedNames = (count: 32, length: 64)

    private var writer = JSONWriter()
    private var room = maximumByteCount
    private var omitted: [String] = []
    private var omittedCount = 0

    init() { writer.beginObject() }

    /// Adds a member that the session made.
    mutating func add(_ body: (inout JSONWriter) -> Void) { body(&writer) }

    /// Adds an object of the app, with as many of its keys as there is room for.
    mutating func add(_ key: String, _ metadata: Metadata, withholding: Withholding) {
        omittedCount += metadata.leftOutCount
        var members: [(key: String, json: [UInt8])] = []
        for member in withholding.remaining(metadata.countedMembers) {
            var json = JSONWriter(capacity: 64)
            json.key(escaping: member.key)
            if member.value.write(to: &json, maximumDepth: Self.maximumDepth) {
                members.append((member.key, json.bytes))
            } else {
                omit(member.key)
            }
        }
        let kept = fitting(members)
        writer.key(key)
        writer.beginObject()
        for json in kept { writer.value(json: json.span) }
        writer.endObject()
    }

    /// Removes the largest members until the others fit, and returns these in their order.
    private mutating func fitting(_ members: [(key: String, json: [UInt8])]) -> [[UInt8]] {
        var byteCount = members.reduce(0) { $0 + $1.json.count + 1 }
        var removed: Set<Int> = []
        if byteCount > room {
            for index in members.indices.sorted(by: { members[$0].json.count > members[$1].json.count }) {
                if byteCount <= room { break }
                removed.insert(index)
                byteCount -= members[index].json.count + 1
                omit(members[index].key)
            }
        }
        room -= byteCount
        return members.indices.filter { !removed.contains($0) }.map { members[$0].json }
    }

    /// Names a member that is left out.
    mutating func omit(_ key: String) {
        omittedCount += 1
        guard omitted.count < Self.maximumOmittedNames.count else { return }
        omitted.append(String(key.prefix(Self.maximumOmittedNames.length)))
    }

    /// Ends the object, and returns it.
    mutating func finish() -> [UInt8] {
        if omittedCount > 0 {
            writer.key("truncated")
            writer.beginArray()
            for key in omitted { writer.value(key) }
            writer.endArray()
            writer.write("truncated_count", omittedCount)
        }
        writer.endObject()
        return writer.bytes
    }
}
