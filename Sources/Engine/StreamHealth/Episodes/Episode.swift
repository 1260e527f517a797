package import ID3v2
package import NielsenID3

/// A problem that a check has found, from its first violation to its last, and that needs an operator.
package struct Episode: Sendable, Hashable {
    /// The violated check.
    package let check: CheckID
    /// The severity, `warn` or `fail`.
    package let severity: CheckStatus
    /// When it was found to need an operator.
    package let since: WallTime
    /// The observed and the expected behavior, as of the last violation.
    package let detail: String
    /// The times of its first violation and of its last.
    package let onset: WallTime
    package let end: WallTime
    /// The violations of other checks that follow from this one and need no operator of their own.
    package let consequences: [Finding.Consequence]

    /// Creates an episode; by default, one that was open before a restart.
    package init(
        check: CheckID, severity: CheckStatus, since: WallTime, detail: String, onset: WallTime? = nil,
        end: WallTime? = nil, consequences: [Finding.Consequence] = []
    ) {
        self.check = check
        self.severity = severity
        self.since = since
        self.detail = detail
        self.onset = onset ?? since
        self.end = end ?? since
        self.consequences = consequences
    }
}

/// The start or the end of an episode, for an operator.
package enum EpisodeChange: Sendable, Hashable {
    /// It needs an operator.
    case raised(Episode)
    /// It is over.
    case cleared(Episode)

    /// The episode.
    package var episode: Episode {
        switch self {
        case .raised(let episode), .cleared(let episode): episode
        }
    }
}

extension CheckDeclaration {
    /// The conditions of an alert about the violations of a check.
    package struct Alerting: Sendable, Hashable {
        /// The violation that raises an alert.
        package enum Trigger: Sendable, Hashable {
            /// None: another check has the alert of the same problem.
            case never
            /// The first.
            case first
            /// The second in the same rendition within `limit-alert-repeat`.
            case second
        }

        /// The violation that raises an alert.
        package let trigger: Trigger
        /// The time without the problem before its alert is cleared, as a multiple of `limit-alert-hold`.
        package let holdFactor: Double
        /// The checks whose violations at the same time explain those of this one, most likely cause first.
        package let explainedBy: [CheckID]
        /// Whether it is known each second whether the violation lasts, even while no segment can be read.
        ///
        /// The problem is over once it has not lasted for `limit-alert-clear`. Others also need tags or a minute.
        package let isContinuous: Bool
        /// Whether a violation means that segments are not read, so that what they contain is missing elsewhere.
        package let stopsReading: Bool
        /// Whether it judges the presence of tags in all renditions together, and does not run in quiet hours.
        package let judgesPresence: Bool

        /// Creates the rule of most checks; the others say what differs.
        package init(
            _ trigger: Trigger = .second, holdFactor: Double = 1, explainedBy: [CheckID] = [],
            isContinuous: Bool = false, stopsReading: Bool = false, judgesPresence: Bool = false
        ) {
            self.trigger = trigger
            self.holdFactor = holdFactor
            self.explainedBy = explainedBy
            self.isContinuous = isContinuous
            self.stopsReading = stopsReading
            self.judgesPresence = judgesPresence
        }
    }
}
