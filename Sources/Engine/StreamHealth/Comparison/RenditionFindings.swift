import NielsenID3

/// The findings of a comparison of renditions so far: complete counts, and the first findings of each check.
struct RenditionFindings: Sendable {
    private let kept: Int
    private let limit: Double
    private var tags = Tally()
    private var times = Tally()
    /// A specific reason why no tag could be compared; nil for the default reason.
    var reason: String?
    /// A specific reason why no times could be compared; nil for the default reason.
    var reasonForTimes: String?

    private struct Tally: Sendable {
        var comparedCount = 0
        var count = 0
        var worst = CheckStatus.pass
        var findings: [Finding] = []

        mutating func add(_ finding: Finding, kept: Int) {
            count += 1
            worst = max(worst, finding.status)
            if findings.count < kept { findings.append(finding) }
        }
    }

    init(policy: HealthPolicy) {
        kept = policy.count(.findings)
        limit = policy[.renditionTime]
    }

    /// Counts a tag that every unit covers.
    mutating func countTag() { tags.comparedCount += 1 }

    /// Counts a tag found in more than one rendition.
    mutating func countTime() { times.comparedCount += 1 }

    mutating func addTags(_ finding: Finding) { tags.add(finding, kept: kept) }

    mutating func addTime(_ finding: Finding) { times.add(finding, kept: kept) }

    /// Returns the two outcomes; `reason`, if not nil, explains why neither check ran.
    func outcomes(aloneBecause reason: String?) -> [CheckOutcome] {
        let limit = CheckOutcome.Limit(value: limit, unit: HealthLimit.renditionTime.unit)
        return [
            outcome(
                .renditionTagsDiffer, tags, limit: nil,
                reason: reason ?? self.reason ?? "No tag is in the time that all renditions cover."),
            outcome(
                .renditionTimeDiffers, times, limit: limit,
                reason: reason ?? self.reason ?? reasonForTimes ?? "No tag is in more than one rendition."),
        ]
    }

    private func outcome(
        _ id: CheckID, _ tally: Tally, limit: CheckOutcome.Limit?, reason: String
    ) -> CheckOutcome {
        let isRun = tally.comparedCount > 0 || tally.worst > .pass
        return CheckOutcome(
            id: id, status: isRun ? tally.worst : .notRun, reason: isRun ? nil : reason, count: tally.count,
            limit: limit, findings: tally.findings)
    }

    /// Formats seconds with up to five decimals, which resolve one 90 kHz tick, without trailing zeros.
    static func text(_ seconds: Double) -> String {
        let parts = (seconds.magnitude * 100_000).rounded()
        guard parts < 1e15 else { return "\(seconds) s" }
        let whole = Int(parts)
        var fraction = String(whole % 100_000 + 100_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        let sign = seconds < 0 && whole > 0 ? "-" : ""
        return sign + "\(whole / 100_000)" + (fraction.isEmpty ? "" : "." + fraction) + " s"
    }
}
