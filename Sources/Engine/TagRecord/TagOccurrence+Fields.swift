package import NielsenID3
package import TextForms
package import TimedMedia

extension TagOccurrence {
    /// The value of one field; every form of output goes through here.
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

    /// The first line of a CSV file of tags: the same names as the keys of a JSON line.
    package static var csvHeader: String { TagKey.allCases.map(\.rawValue).joined(separator: ",") }

    /// The tag as one line of CSV (RFC 4180) without its line end.
    package var csvLine: String { csvLine(problems: problems) }

    /// That line with other problems, such as those that only the tags around this one show.
    package func csvLine(problems: [CheckID]) -> String {
        TagKey.allCases.map { ($0 == .problems ? .list(problems.map(\.rawValue)) : field($0)).csvCell }
            .joined(separator: ",")
    }
}

extension TagPlace {
    /// The value of a field that says where a tag was found; absent for any other.
    func field(_ key: TagKey) -> TagFieldValue {
        switch key {
        // A player need not say what it plays.
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
    /// The ticks a second, where they are not those of a PTS.
    var timescaleField: TagFieldValue { isTransport ? .absent : .integer(UInt64(timescale)) }
}

extension Carriage {
    /// The carriage as every form of output names it.
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

    /// The value of a field that only some carriages have.
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
