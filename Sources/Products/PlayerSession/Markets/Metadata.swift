/// The metadata of an app, a channel or an asset: values by key, without regard to case.
///
/// Unknown keys are kept.
public struct Metadata: Sendable, Hashable {
    /// The members as given, with the keys renamed that the configuration maps.
    public private(set) var members: [MetadataValue.Member]

    /// The number of members that merging has left out.
    package private(set) var leftOutCount = 0

    /// The maximum size of merged metadata in bytes: four times what a record has room for.
    package static let maximumMergedByteCount = 65_536

    /// The index of each member by its key in lower case.
    private var places: [String: Int] = [:]

    /// Creates empty metadata.
    public init() { members = [] }

    /// Creates metadata from an object, or from its JSON text; nil if the value is neither.
    ///
    /// - Parameters:
    ///   - value: the object, or its JSON text.
    ///   - names: the standard names of the app's keys, by the app's key in lower case.
    public init?(_ value: MetadataValue, names: [String: String] = [:]) {
        guard let members = value.members else { return nil }
        self.init(members: members, names: names)
    }

    /// Creates metadata from members.
    public init(members: [MetadataValue.Member], names: [String: String] = [:]) {
        self.members =
            names.isEmpty
            ? members
            : members.map { MetadataValue.Member(names[$0.key.lowercased()] ?? $0.key, $0.value) }
        // The last member with a key overrides the earlier ones.
        for (index, member) in self.members.enumerated() { places[member.key.lowercased()] = index }
    }

    /// Returns the value of a key; nil if there is none, or it is absent.
    ///
    /// - Parameter key: in lower case.
    public subscript(key: String) -> MetadataValue? {
        guard let place = places[key], !members[place].value.isAbsent else { return nil }
        return members[place].value
    }

    /// Returns whether a key has the value null.
    ///
    /// - Parameter key: in lower case.
    func hasNull(_ key: String) -> Bool { places[key].map { members[$0].value == .null } ?? false }

    /// Returns a text, number or Boolean as text; nil if there is none, or it is empty.
    ///
    /// - Parameter key: in lower case.
    public func text(_ key: String) -> String? {
        guard let text = self[key]?.scalarText, !text.isEmpty else { return nil }
        return text
    }

    /// The members that count, in order: of several with one key, only the last one.
    package var countedMembers: [MetadataValue.Member] {
        members.indices.filter { places[members[$0].key.lowercased()] == $0 }.map { members[$0] }
    }

    /// Returns the metadata merged with other metadata, whose values take precedence.
    ///
    /// Members beyond 64 KiB are left out: the newest of those that only this metadata has, then the last of the other.
    public func updated(with other: Metadata) -> Metadata {
        var room = Self.maximumMergedByteCount
        func fits(_ member: MetadataValue.Member) -> Bool {
            let byteCount = member.byteCount
            guard byteCount <= room else { return false }
            room -= byteCount
            return true
        }
        let new = other.members.filter(fits)
        let own = members.filter { other.places[$0.key.lowercased()] == nil }
        let kept = own.filter(fits)
        var merged = Metadata(members: kept + new)
        merged.leftOutCount =
            leftOutCount + other.leftOutCount + own.count + other.members.count - merged.members.count
        return merged
    }

    /// Whether both have the same values, regardless of the order and the case of the keys.
    package func says(the other: Metadata) -> Bool {
        guard places.count == other.places.count else { return false }
        return places.allSatisfy { key, place in
            other.places[key].map { other.members[$0].value == members[place].value } ?? false
        }
    }
}
