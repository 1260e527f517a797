/// How one check ended: its status, how often it was hit, and the first places where it was.
package struct CheckOutcome: Sendable, Hashable {
    /// The check.
    package let id: CheckID

    /// The worst of its findings; `pass` where it looked and found none, `notRun` where there was nothing to
    /// look at.
    package var status: CheckStatus

    /// Why it was not run, as a sentence; nil where it was.
    package var reason: String?

    /// How many findings there were in all, information included.
    package var count: Int

    /// How many of these are listed under the findings of other checks, from which they follow, and not here.
    package var consequenceCount = 0

    /// The limit that it judged by, and its unit; nil for a check without one (no finding is allowed).
    package var limit: Limit?

    /// The first findings, as many as the policy keeps.
    package var findings: [Finding]

    /// The outcome of a check.
    package init(
        id: CheckID, status: CheckStatus, reason: String? = nil, count: Int = 0, limit: Limit? = nil,
        findings: [Finding] = []
    ) {
        self.id = id
        self.status = status
        self.reason = reason
        self.count = count
        self.limit = limit
        self.findings = findings
    }

    /// A limit as a report states it.
    package struct Limit: Sendable, Hashable {
        /// The number.
        package let value: Double
        /// What it counts, as in `s` or `tags`.
        package let unit: String

        /// A limit.
        package init(value: Double, unit: String) {
            self.value = value
            self.unit = unit
        }
    }
}
