/// A difference between streams that must have the same tags.
enum TagDifference {
    /// A tag is in some streams but not in others.
    case missing(RenditionTagIdentity, carriers: [String], others: [String])
    /// One stream has `count` tags, and the other none of them.
    case none(carrier: String, count: Int, other: String)
    /// Two streams have tags of the same time, but none in common.
    case strangers((name: String, count: Int), (name: String, count: Int))

    /// The sentence in a finding.
    var detail: String {
        switch self {
        case .missing(let identity, let carriers, let others):
            "\(identity.text) is in \(Self.list(carriers)) but not in \(Self.list(others))."
        case .none(let carrier, let count, let other):
            "\(carrier) has \(count) tags; \(other) has none of them."
        case .strangers(let one, let other):
            "\(one.name) has \(one.count) tags and \(other.name) has \(other.count) for the same time, with none "
                + "in common."
        }
    }

    /// Joins names for a sentence.
    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
