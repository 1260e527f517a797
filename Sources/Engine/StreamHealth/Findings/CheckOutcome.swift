public import NielsenID3

/// The outcome of one check: its status, the number of its findings, and the first of them.
public struct CheckOutcome: Sendable, Hashable {
    /// The check.
    public let id: CheckID

    /// The worst status of its findings; `pass` without findings, `notRun` when there was nothing to check.
    public var status: CheckStatus

    /// The reason why the check did not run, as a sentence; nil if it ran.
    public var reason: String?

    /// The total number of findings, including information.
    public var count: Int

    /// The number of findings that are information, included in `count`.
    package var informationCount = 0

    /// The number of findings to show for the status: those of a check that did not pass have no information.
    package var shownCount: Int { status > .pass ? count - informationCount : count }

    /// The number of findings that follow from findings of other checks and are listed there instead of here.
    public var consequenceCount = 0

    /// The limit applied, with its unit; nil for a check without one, which allows no finding.
    public var limit: Limit?

    /// The first findings, up to the number that the policy keeps.
    public var findings: [Finding]

    /// The declaration of a rule, which is not in the registry of checks; nil for a check.
    package var rule: CheckDeclaration?

    /// The declaration of the check or rule; nil for an id that this version does not know.
    package var declaration: CheckDeclaration? { rule ?? id.declaration }

    /// Creates the outcome of a check.
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

    /// A limit as shown in a report.
    public struct Limit: Sendable, Hashable {
        /// The number.
        public let value: Double
        /// The unit, such as `s` or `tags`.
        public let unit: String

        /// Creates a limit.
        package init(value: Double, unit: String) {
            self.value = value
            self.unit = unit
        }
    }
}
