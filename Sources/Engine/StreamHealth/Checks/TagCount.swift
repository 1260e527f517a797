package import NielsenID3

extension CheckID {
    /// `tag.count`.
    package static let tagCount = CheckID("tag.count")
}

extension HealthLimit {
    /// `tag.count` is not run below this much programme.
    public static let countMinimumDuration = HealthLimit(
        "limit-count-minimum-duration", 60, "s",
        "tag.count is not run below this much programme")
    /// `tag.count`: programme that needs no tag.
    public static let countGrace = HealthLimit(
        "limit-count-grace", 20, "s",
        "tag.count: programme that needs no tag")
    /// `tag.count`: programme that needs one DATA tag.
    public static let countInterval = HealthLimit(
        "limit-count-interval", 12, "s",
        "tag.count: programme that needs one DATA tag")
}

/// `tag.count`: a programme has the DATA tags that its length calls for, unless it is silent.
struct TagCount: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .tagCount, worst: .warn, clock: .stream,
        limits: [.countMinimumDuration, .countGrace, .countInterval],
        notRun: "Less programme was read than a verdict on the number of tags needs.",
        expectation: "There are as many DATA tags as the length of the programme asks for",
        title: "There are fewer tags than the programme's length calls for",
        meaning: """
            A clean stream has a DATA tag every ten seconds. Here are fewer than one in twelve, after an allowance for
            the start: the stretches without one are not credited.
            """,
        appearance: """
            The finding has the number that was found and the least that the programme's length calls for. The stretches
            themselves are under `time.gap` and `sequence.step`.
            """,
        cause: """
            Stretches without a watermark (silence, advertisements, content that is not encoded) are lawful and are the
            most frequent reason. Where `sequence.step` is hit too, tags were lost on the way. Where it is not, the inserter
            made fewer: it hears the watermark badly after heavy audio compression or downmixing.
            """,
        action: """
            Look at `sequence.step` first: if it fails, look for the loss. If it passes, compare the stretches with the
            schedule, and then the audio before the inserter with that of the programme.
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

    /// How many DATA tags `duration` seconds of programme have at least.
    static func required(duration: Double, policy: HealthPolicy) -> Int {
        let interval = policy[.countInterval]
        let seconds = duration - policy[.countGrace]
        guard seconds > 0, interval > 0 else { return 0 }
        return Int(exactly: (seconds / interval).rounded(.down)) ?? .max
    }

    /// Checks a programme of `duration` seconds.
    func check(duration: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.countMinimumDuration] else { return .notRun }
        let required = Self.required(duration: duration, policy: policy)
        guard count < required else { return .pass }
        return .violation(
            .warn,
            "\(count) DATA tags in \(SecondsText(duration)) of programme: at least \(required) are expected, unless it "
                + "is silent or has no watermark (clock: pts)")
    }
}
