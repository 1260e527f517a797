import TextForms

/// The series of `trackViewability` (guide 003, "Viewability and Audibility Implementation", "Data Collected").
///
/// An item is `[value, start offset, start timestamp, duration]`.
struct ViewabilitySeries: Sendable {
    /// The names of the series, and whether the values of one are percent; otherwise they are sizes as `WxH`.
    private static let names: [(name: String, isPercent: Bool)] = [
        ("invs", true), ("inau", true), ("inss", false), ("invp", false), ("ines", false),
    ]
    private static let source = GuideSource(.simplified, "Data collected").description
    private static let maximumByteCount = 1_024

    private var lists = names.map { _ in RecordList(maximumByteCount: maximumByteCount) }
    /// The members that belong to no series, as the last call passed them.
    private var others = Metadata()

    /// Whether there is nothing.
    var isEmpty: Bool { lists.allSatisfy { $0.count == 0 } && others.members.isEmpty }

    /// Adds the items of a call; returns whether all of them are kept.
    mutating func add(_ value: MetadataValue?, _ step: inout SessionStep) -> Bool {
        guard let data = step.metadata(value) else {
            step.find(.valueType, value: value, expected: "an object", source: Self.source)
            return false
        }
        var isKept = !data.members.isEmpty
        for (index, series) in Self.names.enumerated() {
            guard let value = data[series.name] else { continue }
            for item in Self.items(in: value) {
                if Self.isValid(item, isPercent: series.isPercent) {
                    let isAdded = lists[index].add { item.write(to: &$0, maximumDepth: 1) }
                    if !isAdded { isKept = false }
                } else {
                    step.find(
                        .keyValue, key: series.name, value: item,
                        expected: "[value, start offset, start timestamp, duration]", source: Self.source)
                    isKept = false
                }
            }
        }
        let known = Set(Self.names.map(\.name))
        others = others.updated(
            with: Metadata(members: data.countedMembers.filter { !known.contains($0.key.lowercased()) }))
        return isKept
    }

    /// Returns the items of a series: its elements, or the value itself if it is a single item.
    private static func items(in value: MetadataValue) -> [MetadataValue] {
        guard case .list(let elements) = value else { return [value] }
        if case .list? = elements.first { return elements }
        return elements.isEmpty ? [] : [value]
    }

    private static func isValid(_ item: MetadataValue, isPercent: Bool) -> Bool {
        guard case .list(let parts) = item, parts.count == 4 else { return false }
        guard parts.dropFirst().allSatisfy({ $0.finiteNumber.map { $0 >= 0 } ?? false }) else { return false }
        if isPercent { return parts[0].finiteNumber.map { (0...100).contains($0) } ?? false }
        guard case .text(let size) = parts[0] else { return false }
        let sides = size.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        return sides.count == 2
            && sides.allSatisfy { (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }
    }

    /// Writes the series, and the other members beside them.
    func write(to content: inout RecordContent, withholding: Withholding) {
        if isEmpty { return }
        for (series, list) in zip(Self.names, lists) { list.write(series.name, to: &content) }
        if !others.members.isEmpty { content.add("viewability", others, withholding: withholding) }
    }
}
