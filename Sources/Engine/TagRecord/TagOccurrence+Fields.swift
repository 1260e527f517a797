import HostSystem
package import ID3v2
public import NielsenID3
package import TextForms

extension TagOccurrence {
    /// Returns the value of a field; all output formats use this method.
    func field(_ key: TagKey) -> TagFieldValue {
        switch key {
        case .source, .rendition, .segment, .mediaSequence, .programDateTime: origin.place.field(key)
        case .pts: .integer(orNull: time?.ticks)
        case .timescale: time?.timescaleField ?? .absent
        case .seconds: seconds.map(TagFieldValue.number) ?? .null
        case .carriage, .pid, .scheme, .value, .eventMessageVersion, .eventMessageID: carriage.field(key)
        case .problems: .list(problems.map(\.rawValue))
        default: tag.field(key)
        }
    }

    /// Writes the tag as one JSON object with the keys of `TagKey`.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        Self.keys.write(to: &writer) { field($0) }
        writer.endObject()
    }

    private static let keys = PreparedKeys(TagKey.allCases)

    /// The tag as one JSON object without a line break, as in the lines of `dtvr scan --format jsonl`.
    ///
    /// The place is as read: `printable` hides the secrets of addresses.
    public var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The header line of a CSV file of tags: the same names as the keys in JSON.
    public static var csvHeader: String { TagKey.allCases.map(\.rawValue).joined(separator: ",") }

    /// The tag as one line of CSV (RFC 4180) without the line end.
    public var csvLine: String { csvLine(problems: problems) }

    /// Returns the CSV line with other problems, such as those that depend on neighboring tags.
    package func csvLine(problems: [CheckID]) -> String {
        TagKey.allCases.map { ($0 == .problems ? .list(problems.map(\.rawValue)) : field($0)).csvCell }
            .joined(separator: ",")
    }
}

extension TagPlace {
    /// Whether a part of the place is an address of a network, which may have secrets.
    package var hasAddress: Bool {
        PrintableAddress.isNetwork(source) || renditions.contains(where: PrintableAddress.isNetwork)
            || segment.map(PrintableAddress.isNetwork) == true
    }

    /// The place for records and reports, without the secrets of addresses.
    package var printable: TagPlace {
        let mayHaveSecret =
            PrintableAddress.mayHaveSecret(source) || segment.map(PrintableAddress.mayHaveSecret) == true
            || renditions.contains(where: PrintableAddress.mayHaveSecret)
        guard mayHaveSecret, hasAddress else { return self }
        let isInNetwork = PrintableAddress.isNetwork(source)
        var place = self
        place.source = PrintableAddress.of(source)
        place.renditions = renditions.map { PrintableAddress.of(reference: $0, inNetwork: isInNetwork) }
        let isPlaylistInNetwork = isInNetwork || renditions.first.map(PrintableAddress.isNetwork) == true
        place.segment = segment.map {
            PrintableAddress.of(reference: $0, inNetwork: isPlaylistInNetwork)
        }
        return place
    }

    /// Returns the value of a field for the place of a tag; absent for any other.
    func field(_ key: TagKey) -> TagFieldValue {
        switch key {
        // A player is not required to report its source.
        case .source: source.isEmpty ? .absent : .text(source)
        case .rendition: .text(orAbsent: renditions.first)
        case .segment: .text(orAbsent: segment)
        case .mediaSequence: mediaSequence.map(TagFieldValue.integer) ?? .absent
        case .programDateTime: programDateTime.map(TagFieldValue.time) ?? .absent
        default: .absent
        }
    }
}

extension MediaTimestamp {
    /// The ticks per second; absent for the timescale of a PTS.
    var timescaleField: TagFieldValue { isTransport ? .absent : .integer(UInt64(timescale)) }
}

extension Carriage {
    /// The name of the carriage in every output format.
    package var name: String {
        switch self {
        case .transportStream: "mpegts"
        case .eventMessage: "emsg"
        case .packedAudio: "packed-audio"
        case .segmentFront: "segment-front"
        case .metadataBox: "mp4-box"
        case .player: "player"
        }
    }

    /// Returns the value of a field that only some carriages have; absent for any other.
    func field(_ key: TagKey) -> TagFieldValue {
        switch (self, key) {
        case (_, .carriage): .text(name)
        case (.transportStream(let pid), .pid): .integer(UInt64(pid))
        case (.eventMessage(let message), .scheme): .text(message.schemeIDURI)
        case (.eventMessage(let message), .value): .text(message.value)
        case (.eventMessage(let message), .eventMessageVersion): .integer(UInt64(message.version))
        case (.eventMessage(let message), .eventMessageID): .integer(UInt64(message.id))
        default: .absent
        }
    }
}
