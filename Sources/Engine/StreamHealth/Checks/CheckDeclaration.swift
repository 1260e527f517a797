public import NielsenID3

/// The description of a check: its id, the severity of its findings, and the advice for fixing them.
///
/// The settings, `--explain`, docs/checks.md and the reports are generated from it. The texts are plain English, one
/// line or one paragraph each.
public struct CheckDeclaration: Sendable, Hashable {
    /// The id of the check.
    public let id: CheckID
    /// The subject of the check, which decides where it has a row.
    let scope: Scope
    /// The events that the check judges; none if the caller measures its condition.
    package let events: Set<Event>
    /// Whether a rule for players runs only if the market is known.
    package let isOfMarket: Bool
    /// The worst status of its findings; `pass` if they are information only.
    public let worst: CheckStatus
    /// The clock that the check uses; nil if it does not depend on time.
    package let clock: Clock?
    /// The limits that the check uses, in display order.
    public let limits: [HealthLimit]
    /// The limit that the row of the check states; nil if no finding is allowed.
    let rowLimit: HealthLimit?
    /// Whether the check needs only owner identifiers, so that it also runs on a list of identifiers.
    let needsOnlyOwner: Bool
    /// The reason that the row gives when there was nothing to check, as a sentence.
    public let notRun: String
    /// The condition for a pass, in one line.
    public let expectation: String
    /// The time at which an operator should act, as half a sentence.
    public let urgency: String
    /// The problem that a finding reports, in one line.
    public let title: String
    /// The consequences for the stream and for counting its viewers.
    public let meaning: String
    /// The symptoms in the bytes, in `dtvr scan` or in a player.
    public let appearance: String
    /// The usual causes.
    public let cause: String
    /// The recommended actions.
    public let action: String
    /// The document and section that state a rule; nil for a check, whose texts name them.
    public let source: String?
    /// The conditions of an alert about its violations, in a live channel or the monitor.
    package let alerting: Alerting

    /// Whether the check has a row in the monitor only, not in verdicts.
    public var isOfMonitorOnly: Bool { scope != .stream }

    /// The subject of a check.
    package enum Scope: Sendable, Hashable {
        /// The content of a stream, recorded or live.
        case stream
        /// The delivery of a live channel: it has a row in the monitor, but not in a verdict.
        case channel
        /// The monitor itself: it has a row in no channel.
        case monitor
    }

    /// A kind of event of a stream, or of a player.
    package enum Event: Sendable, Hashable, CaseIterable {
        /// A tag, a tag at its place in the stream, and a segment.
        case tag, arrival, segment
        /// A DATA tag of a run, and a restart of the stream's clock within it.
        case runTag
        /// The tags, the segments and the end of a recording, across the renditions that together must carry every tag.
        case unit
        /// A change of a live playlist, and the load of a segment.
        case playlistChange, segmentLoad
        /// A call of a player, an event of its playback, and the relation of one of its tags to the stream.
        case call, playback, match
        /// A ping that an SDK has sent, and the `vars` of an AMP page.
        case ping, page
    }

    /// A clock that a check uses.
    package enum Clock: String, Sendable, Hashable, CaseIterable {
        /// The presentation times of the stream.
        case stream = "pts"
        /// The first and last times in the tags, in whole seconds.
        case tag
        /// The stream's clock against the tags' clock.
        case both
        /// The wall clock.
        case wall
    }

    /// Creates a declaration.
    ///
    /// The long texts are paragraphs: their line breaks become spaces.
    package init(
        _ id: CheckID, of scope: Scope = .stream, on events: Set<Event> = [], isOfMarket: Bool = false,
        worst: CheckStatus, clock: Clock? = nil,
        limits: [HealthLimit] = [],
        rowLimit: HealthLimit? = nil, needsOnlyOwner: Bool = false, notRun: String, expectation: String,
        urgency: String = "in the morning", title: String, meaning: String,
        appearance: String, cause: String, action: String, source: String? = nil,
        alerting: Alerting = Alerting()
    ) {
        self.id = id
        self.scope = scope
        self.events = events
        self.isOfMarket = isOfMarket
        self.worst = worst
        self.clock = clock
        self.limits = limits
        self.rowLimit = rowLimit
        self.needsOnlyOwner = needsOnlyOwner
        self.notRun = notRun
        self.expectation = expectation
        self.urgency = urgency
        self.title = title
        self.meaning = meaning.replacing("\n", with: " ")
        self.appearance = appearance.replacing("\n", with: " ")
        self.cause = cause.replacing("\n", with: " ")
        self.action = action.replacing("\n", with: " ")
        self.source = source
        self.alerting = alerting
    }
}

extension CheckID {
    /// The declaration of the check, with its texts; nil for an id that this version does not know, and for a rule for
    /// players.
    public var declaration: CheckDeclaration? { CheckRegistry.declaration(of: self) }
}
