import ByteReading
import HostSystem
import ID3v2
import NielsenID3
import TextForms

/// The parts of a stored tag, with the texts of its place as positions in the bytes.
struct StoredTagParts {
    let problems: [CheckID]
    /// The origin with an empty place.
    let origin: TagOrigin
    let carriage: Carriage
    private(set) var time: MediaTimestamp?
    private(set) var seconds: Double?
    let source: Range<Int>
    private(set) var segment: Range<Int>?
    private(set) var renditions: [Range<Int>] = []
    private(set) var mediaSequence: UInt64?
    private(set) var programDateTime: Int64?
    let tag: NielsenTag
    let isTruncated: Bool

    init(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) {
        var reader = CompactReader(count: bytes.count)
        let version = try reader.byte(bytes)
        guard version == StoredBody.version else { throw .unknownVersion(version) }
        let flags = StoredBody.Flags(rawValue: try reader.byte(bytes))
        problems = try StoredBody.decodeProblems(bytes, &reader)
        origin = try StoredBody.decodeOrigin(bytes, &reader)
        carriage = try StoredBody.decodeCarriage(bytes, &reader)
        if flags.contains(.time) {
            let ticks = try reader.varint(bytes)
            let offset = reader.offset
            time = MediaTimestamp(ticks: ticks, timescale: try reader.number(bytes))
            if time == nil { throw .invalid(offset: offset) }
        }
        if flags.contains(.seconds) { seconds = Double(bitPattern: try reader.fixed(bytes)) }
        source = try reader.textRange(bytes)
        if flags.contains(.segment) { segment = try reader.textRange(bytes) }
        let renditionCount: Int = try reader.number(bytes)
        // Each rendition takes at least its length byte, so a count above the number of remaining bytes is invalid.
        guard renditionCount <= bytes.count - reader.offset else { throw .truncated(offset: reader.offset) }
        for _ in 0..<renditionCount { renditions.append(try reader.textRange(bytes)) }
        if flags.contains(.mediaSequence) { mediaSequence = try reader.varint(bytes) }
        if flags.contains(.programDateTime) { programDateTime = Int64(bitPattern: try reader.fixed(bytes)) }
        isTruncated = flags.contains(.truncated)
        let owner = try reader.blob(bytes)
        guard let tag = StoredBody.tag(of: bytes.extracting(owner), from: origin) else { throw .notNielsen }
        self.tag = tag
    }

    /// Whether a text of the place may have a secret.
    private func mayHaveSecret(_ bytes: Span<UInt8>) -> Bool {
        if PrintableAddress.mayHaveSecret(bytes.extracting(source)) { return true }
        if let segment, PrintableAddress.mayHaveSecret(bytes.extracting(segment)) { return true }
        for name in renditions where PrintableAddress.mayHaveSecret(bytes.extracting(name)) { return true }
        return false
    }

    /// Writes the members of the object that a collector receives, without the texts as strings.
    ///
    /// - Parameter bytes: The bytes that these are the parts of.
    func writeWireMembers(
        of bytes: Span<UInt8>, id: String, received: Int64, to writer: inout JSONWriter
    ) {
        // Earlier versions have stored whole addresses.
        if mayHaveSecret(bytes) {
            return StoredBody.occurrence(self, bytes).writeWireMembers(
                id: id, received: received, to: &writer)
        }
        origin.writeWireMembers(id: id, received: received, to: &writer)
        if !source.isEmpty {
            writer.key(TagKey.source.rawValue)
            writer.value(utf8: bytes.extracting(source))
        }
        if let segment {
            writer.key(TagKey.segment.rawValue)
            writer.value(utf8: bytes.extracting(segment))
        }
        writer.write(mediaSequence.map(TagFieldValue.integer) ?? .absent, for: .mediaSequence)
        writer.write(programDateTime.map(TagFieldValue.time) ?? .absent, for: .programDateTime)
        Self.otherKeys.write(to: &writer) { key in
            switch key {
            case .pts: .integer(orNull: time?.ticks)
            case .timescale: time?.timescaleField ?? .absent
            case .seconds: seconds.map(TagFieldValue.number) ?? .null
            case .carriage, .pid, .scheme, .value, .eventMessageVersion, .eventMessageID: carriage.field(key)
            case .problems: .list(problems.map(\.rawValue))
            default: tag.field(key)
            }
        }
        if renditions.isEmpty { return }
        writer.key("renditions")
        writer.beginArray()
        for rendition in renditions { writer.value(utf8: bytes.extracting(rendition)) }
        writer.endArray()
    }

    /// The keys after those of the place.
    private static let otherKeys = PreparedKeys(
        TagKey.allCases.filter {
            ![.source, .rendition, .segment, .mediaSequence, .programDateTime].contains($0)
        })
}
