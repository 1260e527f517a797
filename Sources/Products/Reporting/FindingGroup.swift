import NielsenID3
import StreamHealth

/// The findings of a check that differ only in their places.
struct FindingGroup {
    /// The first finding, whose text stands for all.
    let first: Finding
    /// The last finding.
    private(set) var last: Finding
    /// The number of findings.
    private(set) var count = 1

    private init(_ finding: Finding) {
        first = finding
        last = finding
    }

    /// Returns the groups in the order of their first findings.
    static func groups(of findings: [Finding]) -> [FindingGroup] {
        var groups: [FindingGroup] = []
        var indices: [Key: Int] = [:]
        for finding in findings {
            let key = Key(finding)
            if let index = indices[key] {
                groups[index].last = finding
                groups[index].count += 1
            } else {
                indices[key] = groups.count
                groups.append(FindingGroup(finding))
            }
        }
        return groups
    }

    /// The text of a finding without the data of its place.
    private struct Key: Hashable {
        private let texts: [String]

        init(_ finding: Finding) {
            let details = [finding.detail] + finding.consequences.map { "\($0.check.rawValue) \($0.detail)" }
            texts = [finding.status.rawValue] + details.map { Self.text($0, at: finding.place) }
        }

        /// Replaces byte offsets, owner identifiers and the tag's own sequence number.
        private static func text(_ detail: String, at place: Finding.Place) -> String {
            let sequence = place.sequence.map { String($0) }
            var isAfterByte = false
            let words = detail.split(separator: " ").map { word -> Substring in
                let isOffset = isAfterByte
                isAfterByte = word == "byte"
                if word.hasPrefix("www.nielsen.com/") { return "…" }
                let number = word.prefix { $0.isNumber }
                let rest = word.dropFirst(number.count)
                // In "FFmpeg 5.1", the 5 is not a sequence number.
                guard !number.isEmpty, !rest.contains(where: \.isNumber) else { return word }
                return isOffset || String(number) == sequence ? "#" + rest : word
            }
            return words.joined(separator: " ")
        }
    }
}
