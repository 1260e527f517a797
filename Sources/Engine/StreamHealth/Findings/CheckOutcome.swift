public import NielsenID3

/// How one check ended: its status, how many findings it has, and the first of them.
public struct CheckOutcome: Sendable, Hashable {
    /// The check.
    public let id: CheckID

    /// The worst of its findings; `pass` where there are none, `notRun` where there was nothing to check.
    public var status: CheckStatus

    /// Why it was not run, as a sentence; nil where it was.
    public var reason: String?

    /// How many findings there were in all, information included.
    public var count: Int

    /// How many of these are listed under the findings of other checks, from which they follow, and not here.
    public var consequenceCount = 0

    /// The limit that it checked by, and its unit; nil for a check without one (no finding is allowed).
    public var limit: Limit?

    /// The first findings, as many as the policy keeps.
    public var findings: [Finding]

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
    public struct Limit: Sendable, Hashable {
        /// The number.
        public let value: Double
        /// What it counts, as in `s` or `tags`.
        public let unit: String

        /// A limit.
        package init(value: Double, unit: String) {
            self.value = value
            self.unit = unit
        }
    }
}
