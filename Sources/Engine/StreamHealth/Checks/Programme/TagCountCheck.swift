import NielsenID3

/// `tag.count`: a programme has the DATA tags that its length calls for, unless it is silent.
struct TagCountCheck: HealthCheck, Sendable {
    static let id = CheckID.tagCount
    static let absence = "Less programme was read than a verdict on the number of tags needs."

    private var count = 0

    /// Notes a tag; one whose kind cannot be read is counted in its favour.
    mutating func observe(_ tag: TagOccurrence) {
        let isData = tag.isBroken ? tag.tag.kind != .info : tag.tag.kind == .data
        if isData { count += 1 }
    }

    /// How many DATA tags `duration` seconds of programme have at least.
    static func required(duration: Double, policy: HealthPolicy) -> Int {
        let interval = policy[.countInterval]
        let seconds = duration - policy[.countGrace]
        guard seconds > 0, interval > 0 else { return 0 }
        return Int(exactly: (seconds / interval).rounded(.down)) ?? .max
    }

    /// Judges a programme of `duration` seconds.
    func judge(duration: Double, policy: HealthPolicy) -> Judgement {
        guard duration >= policy[.countMinimumDuration] else { return .notJudged }
        let required = Self.required(duration: duration, policy: policy)
        guard count < required else { return .pass }
        return .hit(
            .warn,
            "\(count) DATA tags in \(SecondsText(duration)) of programme: at least \(required) are expected, unless it "
                + "is silent or has no watermark (clock: pts)")
    }
}
