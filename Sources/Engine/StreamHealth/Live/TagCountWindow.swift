import NielsenID3

/// The DATA tags in a sliding window of live media, for `tag.count`.
///
/// The window is as long as the check's minimum duration. A silence limit above the default extends it by the
/// difference, and that time needs no tags.
struct TagCountWindow: Sendable {
    /// The maximum number of segments in the window.
    private static let capacity = 256

    private var segments: [(length: Double, tagCount: Int)] = []
    private var tagCount = 0
    private var duration = 0.0

    /// Adds a segment that was read and checks the window that ends with it.
    mutating func observe(length: Double, tags: [PlacedTag], policy: HealthPolicy) -> CheckResult {
        // A tag with an unreadable kind counts as a DATA tag.
        let count = tags.count { tag in
            let kind = tag.occurrence.tag.kind
            return tag.occurrence.isBroken ? kind != .info : kind == .data
        }
        segments.append((length, count))
        tagCount += count
        duration += length
        let allowance = max(0, policy[.silence] - HealthLimit.silence.defaultValue)
        let span = policy[.countMinimumDuration] + allowance
        while let first = segments.first,
            duration - first.length >= span || segments.count > Self.capacity
        {
            segments.removeFirst()
            tagCount -= first.tagCount
            duration -= first.length
        }
        guard duration >= span else { return .notRun }
        let required = TagCount.required(duration: duration - allowance, policy: policy)
        guard tagCount < required else { return .pass }
        return .violation(
            .warn,
            "\(tagCount) DATA tags in the last \(SecondsText(duration)) of media: at least \(required) are expected, "
                + "unless it is silent or has no watermark (clock: pts)")
    }

    /// Empties the window after a break.
    mutating func restart() {
        segments = []
        tagCount = 0
        duration = 0
    }
}
