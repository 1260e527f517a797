package import NielsenID3
package import TextForms

extension TagKey {
    /// The fields that a tag has regardless of where it was found.
    package static let ownKeys: [TagKey] = [
        .owner, .kind, .sequence, .first, .last, .pcCID, .fdCID, .pcOffset, .fdOffset, .breakout, .checksumOK,
        .problems,
    ]
}

extension NielsenTag {
    /// Returns the value of one of the tag's own fields; absent for any other.
    ///
    /// Also absent for `problems`, which depend on a policy.
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

    /// Writes the tag's own fields, then the others, as one JSON object.
    ///
    /// - Parameter problems: The checks that the tag fails.
    package func write(
        to writer: inout JSONWriter, problems: [CheckID], others: (inout JSONWriter) -> Void = { _ in }
    ) {
        writer.beginObject()
        for key in TagKey.ownKeys { writer.write(field(key, problems), for: key) }
        others(&writer)
        writer.endObject()
    }

    /// The header line of a CSV file that contains only the tags' own fields.
    package static var csvHeader: String { TagKey.ownKeys.map(\.rawValue).joined(separator: ",") }

    /// Returns the tag as one line of CSV (RFC 4180) without the line end.
    ///
    /// - Parameter problems: The checks that the tag fails.
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
    /// The name of the kind in every output format.
    package var name: String {
        switch self {
        case .data: "data"
        case .info: "info"
        case .unknown: "unknown"
        }
    }
}
