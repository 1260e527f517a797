package import NielsenID3
package import TextForms

extension TagKey {
    /// The fields that a tag has by itself, wherever it was found.
    package static let ownKeys: [TagKey] = [
        .owner, .kind, .sequence, .first, .last, .pcCID, .fdCID, .pcOffset, .fdOffset, .breakout, .checksumOK,
        .problems,
    ]
}

extension NielsenTag {
    /// The value of one of the fields that a tag has by itself; absent for any other, and for its problems, which a
    /// policy knows.
    func field(_ key: TagKey) -> TagFieldValue {
        switch key {
        case .owner: .latin1(ownerIdentifier)
        case .kind: .text(orNull: kind.map(\.name))
        case .sequence: .integer(orNull: sequence)
        case .first: .integer(orNull: firstTime)
        case .last: .integer(orNull: lastTime)
        case .pcCID: .contentID(orNull: pcCID)
        case .fdCID: .contentID(orNull: fdCID)
        case .pcOffset: .integer(orNull: pcOffset)
        case .fdOffset: .integer(orNull: fdOffset)
        case .breakout: .integer(orNull: breakout)
        case .checksumOK: checksumField
        default: .absent
        }
    }

    /// Writes the tag as one JSON object with the fields that it has by itself, and others after them.
    ///
    /// - Parameter problems: the checks that it fails.
    package func write(
        to writer: inout JSONWriter, problems: [CheckID], others: (inout JSONWriter) -> Void = { _ in }
    ) {
        writer.beginObject()
        for key in TagKey.ownKeys { writer.write(field(key, problems), for: key) }
        others(&writer)
        writer.endObject()
    }

    /// The first line of a CSV file of tags alone.
    package static var csvHeader: String { TagKey.ownKeys.map(\.rawValue).joined(separator: ",") }

    /// The tag as one line of CSV (RFC 4180) without its line end.
    ///
    /// - Parameter problems: the checks that it fails.
    package func csvLine(problems: [CheckID]) -> String {
        TagKey.ownKeys.map { field($0, problems).csvCell }.joined(separator: ",")
    }

    private func field(_ key: TagKey, _ problems: [CheckID]) -> TagFieldValue {
        key == .problems ? .list(problems.map(\.rawValue)) : field(key)
    }

    private var checksumField: TagFieldValue {
        guard let storedChecksum, let computedChecksum else { return .null }
        return .flag(storedChecksum == computedChecksum)
    }
}

extension NielsenTag.Kind {
    /// The kind as every form of output names it.
    package var name: String {
        switch self {
        case .data: "data"
        case .info: "info"
        case .unknown: "unknown"
        }
    }
}
