package import NielsenID3

/// What a check says of itself: what it is called, how bad its findings are, and what to do about them.
///
/// Settings, `--explain`, docs/checks.md and the reports are made from it.
package struct CheckDeclaration: Sendable, Hashable {
    /// The check.
    package let id: CheckID
    /// The worst status that its findings have; `pass` where they are information only.
    package let worst: CheckStatus
    /// The clock that it goes by; nil where time plays no part.
    package let clock: Clock?
    /// The limits that it goes by, in the order of their list.
    package let limits: [HealthLimit]
    /// The one of them that its row states; nil where no finding is allowed at all.
    let rowLimit: HealthLimit?
    /// Why it is not run where there is nothing to check, as a sentence.
    package let notRun: String
    /// What holds where it passes, in one line.
    package let expectation: String
    /// What is wrong where it does not pass, in one line.
    package let title: String
    /// What it means for the stream and for the counting of its viewers.
    package let meaning: String
    /// What it looks like in the bytes, in `dtvr scan` or in a player.
    package let appearance: String
    /// What usually causes it.
    package let cause: String
    /// What to do.
    package let action: String

    /// Whether it has a row in the monitor, and in no verdict.
    var isOfMonitorOnly: Bool { CheckRegistry.liveDeclarations.contains { $0.id == id } }

    /// A clock that a check goes by.
    package enum Clock: String, Sendable, Hashable, CaseIterable {
        /// The presentation times of the stream.
        case stream = "pts"
        /// The first and last times that the tags state, in whole seconds.
        case tag
        /// The stream's against the tags'.
        case both
        /// The wall clock.
        case wall
    }

    /// The long texts are paragraphs: the line ends in them become blanks.
    init(
        _ id: CheckID, worst: CheckStatus, clock: Clock? = nil, limits: [HealthLimit] = [],
        rowLimit: HealthLimit? = nil, notRun: String, expectation: String, title: String, meaning: String,
        appearance: String, cause: String, action: String
    ) {
        self.id = id
        self.worst = worst
        self.clock = clock
        self.limits = limits
        self.rowLimit = rowLimit
        self.notRun = notRun
        self.expectation = expectation
        self.title = title
        self.meaning = meaning.replacing("\n", with: " ")
        self.appearance = appearance.replacing("\n", with: " ")
        self.cause = cause.replacing("\n", with: " ")
        self.action = action.replacing("\n", with: " ")
    }
}

extension CheckID {
    /// What the check says of itself; nil for an id that no check of this version has.
    package var declaration: CheckDeclaration? { CheckRegistry.declaration(of: self) }
}
