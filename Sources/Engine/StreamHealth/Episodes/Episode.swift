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
    package var detail: String
    /// The time of its first violation.
    package var onset: WallTime
    /// The time of its last violation; nil if an earlier version stored it, which did not store the time.
    package var last: WallTime?
    /// When no violation had come for so long that it was over; nil while it lasts.
    package var over: WallTime?
    /// Whether its end was reported.
    package var isCleared = false
    /// The violations of other checks that follow from this one and need no operator of their own.
    package var consequences: [Finding.Consequence]

    /// Creates an episode; by default, one that was open before a restart.
    package init(
        check: CheckID, severity: CheckStatus, since: WallTime, detail: String, onset: WallTime? = nil,
        last: WallTime? = nil, over: WallTime? = nil, consequences: [Finding.Consequence] = []
    ) {
        self.check = check
        self.severity = severity
        self.since = since
        self.detail = detail
        self.onset = onset ?? since
        self.last = last
        self.over = over
        self.consequences = consequences
    }
}

/// The form in which an open episode is stored across a restart, without its consequences.
extension Episode: Codable {
    private enum CodingKeys: String, CodingKey {
        case check, since, onset, last, over, severity, detail
    }

    /// Decodes an episode; an unknown severity of a later version counts as `fail`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func time(_ key: CodingKeys) throws -> WallTime? {
            try values.decodeIfPresent(Double.self, forKey: key).map { WallTime(unixSeconds: $0) }
        }
        self.init(
            check: CheckID(try values.decode(String.self, forKey: .check)),
            severity: CheckStatus(rawValue: try values.decode(String.self, forKey: .severity)) ?? .fail,
            since: WallTime(unixSeconds: try values.decode(Double.self, forKey: .since)),
            detail: try values.decode(String.self, forKey: .detail),
            onset: try time(.onset), last: try time(.last), over: try time(.over))
    }

    /// Encodes the episode.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(check.rawValue, forKey: .check)
        try values.encode(since.unixSeconds, forKey: .since)
        if onset != since { try values.encode(onset.unixSeconds, forKey: .onset) }
        try values.encodeIfPresent(last?.unixSeconds, forKey: .last)
        try values.encodeIfPresent(over?.unixSeconds, forKey: .over)
        try values.encode(severity.rawValue, forKey: .severity)
        try values.encode(detail, forKey: .detail)
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
