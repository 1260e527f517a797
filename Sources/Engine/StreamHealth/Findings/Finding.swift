public import NielsenID3

/// One place where a check is violated: where, what was seen and what was expected.
public struct Finding: Sendable, Hashable {
    /// How severe it is; `pass` for information.
    public var status: CheckStatus

    /// Where it was.
    public var place: Place

    /// What was seen and what was expected, as a sentence that an operator can act on.
    public var detail: String

    /// What follows from it: findings of other checks that would not be there without this one.
    public var consequences: [Consequence] = []

    /// One finding.
    package init(status: CheckStatus, place: Place, detail: String) {
        self.status = status
        self.place = place
        self.detail = detail
    }

    /// Where in the stream a finding is; what is not known is nil.
    public struct Place: Sendable, Hashable {
        /// The media playlist's URI as its multivariant playlist has it.
        public var rendition: String?
        /// The segment's URI as its playlist has it.
        public var segment: String?
        /// The segment's media sequence number.
        public var mediaSequence: UInt64?
        /// Seconds of media from the start of what was read.
        public var position: Double?
        /// Seconds on the unwrapped clock of the stream, absolute.
        public var seconds: Double?
        /// The time as the container has it, in ticks.
        public var pts: UInt64?
        /// The tag's number in the sequence.
        public var sequence: UInt16?
        /// Which of the rendition's tags it is, counted from 0 in the order in which they were observed.
        public var tagIndex: Int?

        /// A place of which nothing is known yet.
        package init() {}
    }

    /// A finding of another check that follows from this one.
    public struct Consequence: Sendable, Hashable {
        /// The check that is violated too: it counts there, and is listed here alone.
        public let check: CheckID
        /// How severe it is.
        public let status: CheckStatus
        /// What was seen and what was expected.
        public let detail: String

        /// One consequence.
        package init(check: CheckID, status: CheckStatus = .fail, detail: String) {
            self.check = check
            self.status = status
            self.detail = detail
        }
    }
}
