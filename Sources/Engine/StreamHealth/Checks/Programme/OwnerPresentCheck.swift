/// `carriage.owner-present`: a programme has Nielsen tags at all.
struct OwnerPresentCheck: HealthCheck, Sendable {
    static let id = CheckID.ownerPresent
    static let absence = "Less programme was read than a verdict on tags that are not there needs."
    static let limit: HealthLimit? = .ownerMinimumDuration

    private(set) var hasTag = false

    /// Notes a Nielsen tag, broken or not.
    mutating func observe() { hasTag = true }

    /// Judges a programme of `duration` seconds; nil where it is too short.
    func judge(duration: Double, policy: HealthPolicy) -> Judgement {
        guard duration >= policy[.ownerMinimumDuration] else { return .notJudged }
        if hasTag { return .pass }
        return .hit(
            .fail,
            "no Nielsen tag in \(SecondsText(duration)) of programme: the inserter is off, or a packager takes the "
                + "tags out")
    }
}
