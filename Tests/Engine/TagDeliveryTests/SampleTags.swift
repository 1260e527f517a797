import ID3v2
import NielsenID3
import TagRecord

/// Records of distinct tags.
enum SampleTags {
    private static let owner =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHfgS52fJeQjf9f"
        + "JCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRiPpS9X100zdCIGeIlgZnkYj6U"
        + "vVjmPIdY5jyRQTA=/00000/21778/"

    /// Returns a record of a tag whose breakout is `number`, so that tags differ.
    static func record(_ number: Int, rendition: String? = nil, ticks: UInt64? = nil) -> TagOccurrence? {
        let text = owner + (number < 10 ? "0\(number)" : "\(number)")
        return NielsenTag(ownerIdentifier: Array(text.utf8).span).map {
            TagOccurrence(
                tag: $0,
                origin: TagOrigin.recording(TagPlace(source: "s", renditions: rendition.map { [$0] } ?? [])),
                time: ticks.map { MediaTimestamp(pts: $0) }, seconds: nil, carriage: .packedAudio)
        }
    }
}
