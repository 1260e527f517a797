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
            .playMissing, "The first tag of a viewing session arrived before any call of `play`.",
            "Call `play` with the channel's name before the first tag."),
        Entry(
            .playHeartbeat, "`play` was called again during playback.",
            "Call it once for each viewing session, and report the playhead with its own call."),
        Entry(
            .metadataMissing, "The first tag of a viewing session arrived before any metadata.",
            "Call `loadMetadata` at the start of each asset."),
        Entry(
            .tagAfterStop,
            "A tag or a playhead arrived after `stop` or `pause`, without a call that resumes playback.",
            "Call `play` or `loadMetadata` when playback resumes."),
        Entry(
            .tagAfterEnd, "A tag arrived after `end`, which opened a new viewing session.",
            "Call `end` after the last tag."),
        Entry(
            .tagBeforeStart, "A tag arrived before any other call, which opened a viewing session.",
            "Call `play` and `loadMetadata` first."),
        Entry(
            .tagInBackground, "A tag arrived while the app was in the background.",
            "Call `appInBackground` only if playback stops in the background."),
        Entry(
            .tagEmpty, "`sendID3` was called without a tag.",
            "Call it only if the player has a tag."),
        Entry(
            .tagInvalid, "The argument of `sendID3` is not text, or is undecodable base64.",
            "Pass the bytes unchanged, as the player provides them."),
        Entry(
            .tagTooLong, "The owner identifier is longer than 32,768 bytes; a valid one has 249.",
            "Find the component that produces these tags."),
        Entry(
            .tagRepeat, "Duplicate of the previous tag: counted, not stored.",
            "Pass each tag once."),
        Entry(
            .tagUnpadded, "An offset of the owner identifier has lost its leading zeros.",
            "Pass the tag unchanged; do not parse and rebuild its numbers."),
        Entry(
            .tagNotPresented,
            "A held tag was never presented. It is delivered anyway, marked as not presented.",
            "Nothing if the user seeked. Otherwise compare the media times with the playheads."),
        Entry(
            .playheadMilliseconds, "A playhead above 100,000,000,000 was interpreted as milliseconds.",
            "Pass seconds."),
        Entry(
            .playheadBackwards, "The playhead moved back by more than a second within one asset.",
            "Nothing if the user seeked."),
        Entry(
            .playheadGap, "No playhead arrived for more than 30 minutes, which counts as a pause.",
            "Call `pause` or `stop` when playback is interrupted."),
        Entry(
            .playheadInvalid, "A playhead is not a number, or is negative.", "Pass seconds, 0 or more."),
        Entry(
            .channelTooLong, "A channel name has more than 32 characters; it is not shortened.",
            "Use the name of the channel, not its address."),
        Entry(
            .valueType, "A value has the wrong type for the call.",
            "See the table of the call in the guide."),
        Entry(
            .keyCase, "The capitalization of a key differs from the guide; the key is accepted.",
            "Spell it as the guide does."),
        Entry(
            .keyMissing, "A key that the market requires is missing or empty.", "Add it."),
        Entry(
            .keyLength, "A value is longer than the market allows; it is not shortened.", "Shorten it."),
        Entry(
            .keyAlphabet, "An id has characters other than letters, digits, `.`, `_` and `-`.",
            "Use an id without them."),
        Entry(
            .keyAirdate, "`airdate` is not a date in one of the formats of the guides.",
            "Write it as `20260110 20:00:00`."),
        Entry(
            .keyValue,
            "A value is not one of the allowed values, or `segA`, `segB` and `segC` have more than 25 values in total.",
            "Use a value from the guide."),
        Entry(
            .notMeasured,
            """
            The content of the call is not kept: it is invalid, nothing is playing, a record has no room for it, or the \
            user has opted out.
            """,
            "Nothing after an opt-out. Otherwise see the other findings of the call."),
        Entry(.callUnknown, "The call or event is unknown.", "See the list of calls."),
        Entry(
            .callOutOfOrder,
            "The call is invalid in the current state, such as `stop` when nothing is playing.",
            "Compare with the call order in the guide."),
        Entry(
            .adNotClosed, "Another asset was loaded during an advertisement.",
            "Call `stop` at the end of each advertisement."),
        Entry(
            .queueOverflow, "More than 4,096 calls waited for the configuration and were made without it.",
            "Find out why the configuration is not received."),
    ]

    /// The table of findings for docs/players.md.
    package static var markdown: String {
        let rows = entries.map { "| `\($0.finding)` | \($0.meaning) | \($0.action) |\n" }
        return "| finding | meaning | what to do |\n| --- | --- | --- |\n" + rows.joined()
    }
}
