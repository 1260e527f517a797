import NielsenID3

/// The DATA tags of the last stretch of live media, for `tag.count`.
///
/// Its length is what the check needs to judge at all. Silence that the channel is allowed beyond the default needs no
/// tags here either.
struct TagCountWindow: Sendable {
    /// How many segments are remembered at most, however short they are.
    private static let capacity = 256

    private var segments: [(length: Double, tagCount: Int)] = []
    private var tagCount = 0
    private var duration = 0.0

    /// Takes a segment that was read, and checks the window that ends with it.
    mutating func observe(length: Double, tags: [PlacedTag], policy: HealthPolicy) -> CheckResult {
        // A tag whose kind cannot be read is counted in the stream's favour.
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

    /// Begins anew: after a break.
    mutating func restart() {
        segments = []
        tagCount = 0
        duration = 0
    }
}
