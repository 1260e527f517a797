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

        /// The expectation of the guides, and the place that states it.
        package let rule: Rule

        fileprivate init(
            _ finding: SessionFinding, _ meaning: String, _ action: String, _ expected: String,
            _ origin: Origin
        ) {
            rule = Rule(expected: expected, source: origin.text)
            self.finding = finding
            self.meaning = meaning
            self.action = action
        }
    }

    /// The expectation behind a finding, where a call has no more specific one.
    package struct Rule: Sendable, Hashable {
        /// The values, or the calls, that the guides expect.
        package let expected: String
        /// The guide and the section, `field practice` or `this library`.
        package let source: String
    }

    /// The kinds of places that state a rule.
    fileprivate enum Origin {
        /// A guide's number and section.
        case guide(String)
        /// No guide; known from Nielsen's public diagnostic tool and from players.
        case practice
        /// A limit of this library.
        case library

        var text: String {
            switch self {
            case .guide(let place): "guide \(place)"
            case .practice: "field practice"
            case .library: "this library"
            }
        }
    }

    /// The expectation behind each finding.
    static let rules = Dictionary(uniqueKeysWithValues: entries.map { ($0.finding, $0.rule) })

    /// All findings, in the order of docs/players.md.
    package static let entries = [
        Entry(
            .playMissing, "The first tag of a viewing session arrived before any call of `play`.",
            "Call `play` with the channel's name before the first tag.",
            "`play` before the first tag", .guide("002, 5.2")),
        Entry(
            .playHeartbeat, "`play` was called again during playback.",
            "Call it once for each viewing session, and report the playhead with its own call.",
            "one `play` for each viewing session", .guide("002, 5.4 play")),
        Entry(
            .metadataMissing, "The first tag of a viewing session arrived before any metadata.",
            "Call `loadMetadata` at the start of each asset.",
            "`loadMetadata` at the start of each asset", .guide("002, 5.2")),
        Entry(
            .tagAfterStop,
            "A tag arrived after `stop` or `pause`, without a call or a playhead that resumes playback.",
            "Call `play` or `loadMetadata` when playback resumes.",
            "`play` or `loadMetadata` before the next tag", .guide("002, 5.4 stop")),
        Entry(
            .tagAfterEnd, "A tag arrived after `end`, which opened a new viewing session.",
            "Call `end` after the last tag.",
            "no tag after `end`", .guide("004, end")),
        Entry(
            .tagBeforeStart, "A tag arrived before any other call, which opened a viewing session.",
            "Call `play` and `loadMetadata` first.",
            "`play` and `loadMetadata` before the first tag", .guide("002, 5.2")),
        Entry(
            .tagInBackground, "A tag arrived while the app was in the background.",
            "Call `appInBackground` only if playback stops in the background.",
            "no tag in the background", .guide("003, Event types")),
        Entry(
            .tagEmpty, "`sendID3` was called without a tag.",
            "Call it only if the player has a tag.",
            "the owner identifier of a PRIV frame", .guide("002, 5.4 sendID3")),
        Entry(
            .tagInvalid, "The argument of `sendID3` is not text, or is undecodable base64.",
            "Pass the bytes unchanged, as the player provides them.",
            "the owner identifier of a PRIV frame", .guide("002, 5.4 sendID3")),
        Entry(
            .tagTooLong, "The owner identifier is longer than 32,768 bytes; a valid one has 249.",
            "Find the component that produces these tags.",
            "249 characters", .practice),
        Entry(
            .tagRepeat, "Duplicate of the previous tag: counted, not stored.",
            "Pass each tag once.",
            "each tag once", .practice),
        Entry(
            .tagUnpadded, "An offset of the owner identifier has lost its leading zeros.",
            "Pass the tag unchanged; do not parse and rebuild its numbers.",
            "offsets of five digits", .practice),
        Entry(
            .tagQuarantined,
            "The app's information had no readable id. The tag is stored, and not delivered before the next `init` "
                + "that has one, because the information may have held an opt-out.",
            "Pass an object with `appid`, or its JSON text.",
            "`init` with a readable `appid` before the first tag", .library),
        Entry(
            .tagNotPresented,
            "A held tag was never presented. It is delivered anyway, marked as not presented.",
            "Nothing if the user seeked. Otherwise compare the media times with the playheads.",
            "a playhead that reaches the media time", .library),
        Entry(
            .playheadMilliseconds, "A playhead above 100,000,000,000 was interpreted as milliseconds.",
            "Pass seconds.",
            "seconds", .guide("002, 5.4 playheadPosition")),
        Entry(
            .playheadBackwards, "The playhead moved back by more than a second within one asset.",
            "Nothing if the user seeked.",
            "a position that continues where it left off", .guide("004, Use case 2")),
        Entry(
            .playheadGap, "No call was made for more than 30 minutes, which counts as a pause.",
            "Call `pause` or `stop` when playback is interrupted.",
            "`pause` or `stop` before a gap of 30 minutes", .guide("003, Event types")),
        Entry(
            .playheadInvalid, "A playhead is not a number, or is negative.", "Pass seconds, 0 or more.",
            "seconds, 0 or more", .guide("002, 5.4 playheadPosition")),
        Entry(
            .channelTooLong, "A channel name has more than 32 characters; it is not shortened.",
            "Use the name of the channel, not its address.",
            "at most 32 characters", .guide("002, 5.4 play")),
        Entry(
            .valueType, "A value has the wrong type for the call.",
            "See the table of the call in the guide.",
            "a JSON object with string values", .guide("004, Create metadata objects")),
        Entry(
            .keyCase, "The capitalization of a key differs from the guide; the key is accepted.",
            "Spell it as the guide does.",
            "the spelling of the guide", .guide("004, Create metadata objects")),
        Entry(
            .keyMissing, "A key that the market requires is missing or empty.", "Add it.",
            "a value", .library),
        Entry(
            .keyLength, "A value is longer than the market allows; it is not shortened.", "Shorten it.",
            "a shorter value", .library),
        Entry(
            .keyAlphabet, "An id has characters other than letters, digits, `.`, `_` and `-`.",
            "Use an id without them.",
            "letters, digits, `.`, `_` and `-`", .library),
        Entry(
            .keyAirdate, "`airdate` is not a date in one of the formats of the guides.",
            "Write it as `20260110 20:00:00`.",
            "`YYYYMMDD HH:MI:SS`", .library),
        Entry(
            .keyValue,
            "A value is not one of the allowed values, or `segA`, `segB` and `segC` have more than 25 values in total.",
            "Use a value from the guide.",
            "a value of the guide", .library),
        Entry(
            .notMeasured,
            """
            The content of the call is not kept: it is invalid, nothing is playing, a record has no room for it, or \
            the user has opted out.
            """,
            "Nothing after an opt-out. Otherwise see the other findings of the call.",
            "content that a record can have", .library),
        Entry(
            .callUnknown, "The call or event is unknown.", "See the list of calls.",
            "a call of the guides", .library),
        Entry(
            .callOutOfOrder,
            "The call is invalid in the current state, such as `stop` when nothing is playing.",
            "Compare with the call order in the guide.",
            "the order of the guide", .guide("002, 5.2")),
        Entry(
            .adNotClosed, "Another asset was loaded during an advertisement.",
            "Call `stop` at the end of each advertisement.",
            "`stop` at the end of each ad", .guide("004, stop")),
        Entry(
            .queueOverflow,
            "More than 4,096 calls, or 4 MiB of arguments, waited for the configuration and were made without "
                + "it.",
            "Find out why the configuration is not received.",
            "at most 4,096 calls before the configuration", .library),
    ]
}
