/// What an app says of itself, a channel or an asset: keys that match without regard to case, and their values.
///
/// Keys that nobody knows are kept.
public struct Metadata: Sendable, Hashable {
    /// The members as they were given, but for names that the configuration maps.
    public private(set) var members: [MetadataValue.Member]

    /// The members by their keys in lower case.
    private var places: [String: Int] = [:]

    /// No member.
    public init() { members = [] }

    /// The members of an object, or of a text that is one as JSON; nil where the value is neither.
    ///
    /// - Parameter names: what a key that the app uses stands for, by the app's key in lower case.
    public init?(_ value: MetadataValue, names: [String: String] = [:]) {
        guard let members = value.members else { return nil }
        self.init(members: members, names: names)
    }

    /// Those members.
    public init(members: [MetadataValue.Member], names: [String: String] = [:]) {
        self.members =
            names.isEmpty
            ? members
            : members.map { MetadataValue.Member(names[$0.key.lowercased()] ?? $0.key, $0.value) }
        // Of a key that comes twice the last one counts.
        for (index, member) in self.members.enumerated() { places[member.key.lowercased()] = index }
    }

    /// The value of a key; nil where there is none, or it is absent.
    ///
    /// - Parameter key: in lower case.
    public subscript(key: String) -> MetadataValue? {
        guard let place = places[key], !members[place].value.isAbsent else { return nil }
        return members[place].value
    }

    /// A text, number or truth value as text; nil where there is none, or it is empty.
    ///
    /// - Parameter key: in lower case.
    public func text(_ key: String) -> String? {
        guard let text = self[key]?.scalarText, !text.isEmpty else { return nil }
        return text
    }

    /// The same metadata with those of another: what both have is the other's.
    public func updated(with other: Metadata) -> Metadata {
        let kept = members.filter { other.places[$0.key.lowercased()] == nil }
        return Metadata(members: kept + other.members)
    }

    /// Whether both say the same, whatever the order and the case of their keys.
    public func says(the other: Metadata) -> Bool {
        guard places.count == other.places.count else { return false }
        return places.allSatisfy { key, place in
            other.places[key].map { other.members[$0].value == members[place].value } ?? false
        }
    }
}
