package import NielsenID3

extension CheckID {
    /// `tag.count`.
    package static let tagCount = CheckID("tag.count")
}

extension HealthLimit {
    /// `tag.count` is not run below this much media.
    public static let countMinimumDuration = HealthLimit(
        "limit-count-minimum-duration", 60, "s",
        "tag.count is not run below this much media")
    /// `tag.count`: media that needs no tag.
    public static let countGrace = HealthLimit(
        "limit-count-grace", 20, "s",
        "tag.count: media that needs no tag")
    /// `tag.count`: media that needs one DATA tag.
    public static let countInterval = HealthLimit(
        "limit-count-interval", 12, "s",
        "tag.count: media that needs one DATA tag")
}

/// `tag.count`: a stream has the DATA tags that its length calls for, unless it is silent.
struct TagCount: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .tagCount, worst: .warn, clock: .stream,
        limits: [.countMinimumDuration, .countGrace, .countInterval],
        notRun: "Too little media was read to judge the number of tags.",
        expectation: "There are as many DATA tags as the length of the media calls for",
        title: "There are fewer tags than the length of the media calls for",
        meaning: """
            A clean stream has a DATA tag every ten seconds. Here there are fewer than one in twelve, after an allowance for
            the start: the stretches without one are not credited.
            """,
        appearance: """
            The finding has the number that was found and the minimum that the length of the media calls for. The stretches
            themselves are under `time.gap` and `sequence.step`.
            """,
        cause: """
            Stretches without a watermark (silence, advertisements, content that is not encoded) are normal and are the
            most frequent reason. Where `sequence.step` fails too, tags were lost on the way. Where it passes, the inserter
            made fewer: it detects the watermark badly after heavy audio compression or downmixing.
            """,
        action: """
            Look at `sequence.step` first: if it fails, look for the loss. If it passes, compare the stretches with the
            schedule, and then the audio before the inserter with that of the program output.
            """)

    private var count = 0

    /// Notes a tag; one whose kind cannot be read is counted in its favour.
    mutating func observe(_ tag: TagOccurrence) {
        let isData = tag.isBroken ? tag.tag.kind != .info : tag.tag.kind == .data
        if isData { count += 1 }
    }

    static func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit? {
        CheckOutcome.Limit(value: Double(required(duration: duration, policy: policy)), unit: "tags")
    }

    /// How many DATA tags `duration` seconds of media have at least.
    static func required(duration: Double, policy: HealthPolicy) -> Int {
        let interval = policy[.countInterval]
        let seconds = duration - policy[.countGrace]
        guard seconds > 0, interval > 0 else { return 0 }
        return Int(exactly: (seconds / interval).rounded(.down)) ?? .max
    }

    /// Checks a stretch of `duration` seconds.
    func check(duration: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.countMinimumDuration] else { return .notRun }
        let required = Self.required(duration: duration, policy: policy)
        guard count < required else { return .pass }
        return .violation(
            .warn,
            "\(count) DATA tags in \(SecondsText(duration)) of media: at least \(required) are expected, unless it "
                + "is silent or has no watermark (clock: pts)")
    }
}
