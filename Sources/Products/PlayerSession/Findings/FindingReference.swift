/// The meaning of each finding, for docs/players.md.
package enum FindingReference {
    /// A finding with its meaning, and the advice for an integrator.
    package struct Entry: Sendable, Hashable {
        /// The finding.
        package let finding: SessionFinding
        /// The event that causes the finding.
        package let meaning: String
        /// The advice for an integrator.
        package let action: String

        fileprivate init(_ finding: SessionFinding, _ meaning: String, _ action: String) {
            self.finding = finding
            self.meaning = meaning
            self.action = action
        }
    }

    /// All findings, in the order of docs/players.md.
    package static let entries = [
        Entry(
            .playMissing, "The first tag of a viewing session came, and `play` was never called.",
            "Call `play` with the channel's name before the first tag."),
        Entry(
            .playHeartbeat, "`play` was called again for what is played already.",
            "Call it once for each viewing session; the playhead has a call of its own."),
        Entry(
            .metadataMissing, "The first tag of a viewing session came without any metadata.",
            "Call `loadMetadata` at the start of each asset."),
        Entry(
            .tagAfterStop, "A tag or a playhead came after `stop` or `pause`, and nothing that resumes.",
            "Call `play` or `loadMetadata` when playback goes on."),
        Entry(
            .tagAfterEnd, "A tag came after `end`: a viewing session was opened for it.",
            "Call `end` once the last tag was handed over."),
        Entry(
            .tagBeforeStart, "A tag came before anything else: a viewing session was opened for it.",
            "Call `play` and `loadMetadata` first."),
        Entry(
            .tagInBackground, "A tag came while the app was in the background.",
            "Call `appInBackground` only where playback stops there."),
        Entry(
            .tagEmpty, "`sendID3` was called without a tag.",
            "Call it only where the player has one."),
        Entry(
            .tagInvalid, "`sendID3` was given something that is no text, or base64 that cannot be decoded.",
            "Hand over the bytes as the player gives them."),
        Entry(
            .tagTooLong, "The owner identifier is longer than 32,768 bytes; a valid one has 249.",
            "Find out who makes such tags."),
        Entry(
            .tagRepeat, "The tag is the one before it once more; it is counted and not kept.",
            "Hand over each tag once."),
        Entry(
            .tagUnpadded, "An offset of the owner identifier has lost its leading zeros.",
            "Hand over the tag as it is; take no numbers out of it."),
        Entry(
            .tagNotPresented,
            "A tag that was held was never presented; it is delivered all the same, and says so.",
            "Nothing, where the user jumped. Otherwise compare the media times with the playheads."),
        Entry(
            .playheadMilliseconds, "A playhead above 100,000,000,000 was taken for milliseconds.",
            "Hand over seconds."),
        Entry(
            .playheadBackwards, "The playhead went back by more than a second, within one asset.",
            "Nothing, where the user jumped."),
        Entry(
            .playheadGap, "No playhead came for more than 30 minutes; that counts as a pause.",
            "Call `pause` or `stop` where playback is interrupted."),
        Entry(
            .playheadInvalid, "A playhead is no number, or is negative.", "Hand over seconds, 0 or more."),
        Entry(
            .channelTooLong, "A channel's name has more than 32 characters; it is kept whole.",
            "Use the name of the channel, not its address."),
        Entry(
            .valueType, "A value is of another type than the call takes.",
            "See the call's table in the guide."),
        Entry(
            .keyCase, "A key is spelled with other capitals than in the guide; it is understood.",
            "Spell it as the guide does."),
        Entry(
            .keyMissing, "A key that the market asks for is missing or empty.", "Add it."),
        Entry(
            .keyLength, "A value is longer than the market allows; it is kept whole.", "Shorten it."),
        Entry(
            .keyAlphabet, "An id has characters other than letters, digits, `.`, `_` and `-`.",
            "Use an id without them."),
        Entry(
            .keyAirdate, "`airdate` is no date in one of the forms of the guides.",
            "Write it as `20260110 20:00:00`."),
        Entry(
            .keyValue,
            "A value is none of those that there are, or `segA`, `segB` and `segC` have more than 25 in all.",
            "Use one of those of the guide."),
        Entry(.callUnknown, "There is no such call, or event.", "See the list of calls."),
        Entry(
            .callOutOfOrder, "The call makes no sense where it came, such as `stop` when nothing is played.",
            "Compare with the order of the guide."),
        Entry(
            .adNotClosed, "Another asset was loaded while an advertisement was on.",
            "Call `stop` at the end of each advertisement."),
        Entry(
            .queueOverflow, "More than 4,096 calls waited for the configuration; they went on without it.",
            "Find out why the configuration does not come."),
    ]

    /// The table of findings for docs/players.md.
    package static var markdown: String {
        let rows = entries.map { "| `\($0.finding)` | \($0.meaning) | \($0.action) |\n" }
        return "| finding | what was seen | what to do |\n| --- | --- | --- |\n" + rows.joined()
    }
}
