/// One place where a check was hit: where, what was seen and what was expected.
package struct Finding: Sendable, Hashable {
    /// How grave it is; `pass` for information.
    package var status: CheckStatus

    /// Where it was.
    package var place: Place

    /// What was seen and what was expected, as a sentence that an operator can act on.
    package var detail: String

    /// What follows from it: findings of other checks that would not be there without this one.
    package var consequences: [Consequence] = []

    /// One finding.
    package init(status: CheckStatus, place: Place, detail: String) {
        self.status = status
        self.place = place
        self.detail = detail
    }

    /// Where in the stream a finding is; what is not known is nil.
    package struct Place: Sendable, Hashable {
        /// The media playlist's URI as its multivariant playlist has it.
        package var rendition: String?
        /// The segment's URI as its playlist has it.
        package var segment: String?
        /// The segment's media sequence number.
        package var mediaSequence: UInt64?
        /// Seconds of programme from the start of what was read.
        package var position: Double?
        /// Seconds on the unwrapped clock of the stream, absolute.
        package var seconds: Double?
        /// The time as the container has it, in ticks.
        package var pts: UInt64?
        /// The tag's number in the sequence.
        package var sequence: UInt16?
        /// Which of the rendition's tags it is, counted from 0 in the order in which they were observed.
        package var tagIndex: Int?

        /// A place of which nothing is known yet.
        package init() {}
    }

    /// A finding of another check that follows from this one.
    package struct Consequence: Sendable, Hashable {
        /// The check that is hit too: it counts there, and is listed here alone.
        package let check: CheckID
        /// How grave it is.
        package let status: CheckStatus
        /// What was seen and what was expected.
        package let detail: String

        /// One consequence.
        package init(check: CheckID, status: CheckStatus = .fail, detail: String) {
            self.check = check
            self.status = status
            self.detail = detail
        }
    }
}
