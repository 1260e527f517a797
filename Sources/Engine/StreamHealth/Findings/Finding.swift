import ID3v2
public import NielsenID3
import TextForms

/// One violation of a check: its place, and the observed and the expected behavior.
public struct Finding: Sendable, Hashable {
    /// The severity; `pass` for information.
    public var status: CheckStatus

    /// The place of the finding.
    public var place: Place

    /// The observed and the expected behavior, as a sentence that an operator can act on.
    public var detail: String

    /// The findings of other checks that this finding causes.
    public var consequences: [Consequence] = []

    /// The key and the value that a finding about metadata concerns; nil for any other.
    package var subject: Subject?

    /// Creates a finding.
    package init(status: CheckStatus, place: Place, detail: String) {
        self.status = status
        self.place = place
        self.detail = detail
    }

    /// Returns a text for people: each owner identifier is an ellipsis.
    ///
    /// - Parameter length: The length of an identifier up to which it remains, in bytes.
    package static func shortened(_ text: String, longerThan length: Int = 40) -> String {
        guard text.utf8.count > length, text.utf8.contains(UInt8(ascii: "/")) else { return text }
        let blank = UInt8(ascii: " ")
        var shortened = ""
        var rest = text[...]
        var position = text.startIndex
        while let slash = rest.utf8[position...].firstIndex(of: UInt8(ascii: "/")) {
            let before = rest.utf8[..<slash]
            let start = before.lastIndex(of: blank).map(before.index(after:)) ?? rest.startIndex
            position = rest.utf8[slash...].firstIndex(of: blank) ?? rest.endIndex
            let word = rest[start..<position]
            guard word.utf8.count > length, word.contains("nielsen.com/") else { continue }
            shortened += rest[..<start] + "…"
            rest = rest[position...]
        }
        return shortened.isEmpty ? text : shortened + rest
    }

    /// The place of a finding in the stream; unknown fields are nil.
    public struct Place: Sendable, Hashable {
        /// The media playlist's URI as written in its multivariant playlist.
        public var rendition: String?
        /// The identity of a live channel's rendition, because several may have the same name.
        package var renditionID: RenditionID?
        /// The segment's URI as written in its playlist.
        public var segment: String?
        /// The segment's media sequence number.
        public var mediaSequence: UInt64?
        /// Seconds of media from the start of the reading.
        public var position: Double?
        /// Absolute seconds on the unwrapped clock of the stream.
        public var seconds: Double?
        /// The time as stored in the container, in ticks.
        public var pts: UInt64?
        /// The tag's number in the sequence.
        public var sequence: UInt16?
        /// The index of the tag within its rendition, counted from 0 in the order of observation.
        public var tagIndex: Int?
        /// The segments between the previous tag and this one that could not be read, or only in part; nil if all were.
        package var unreadSegments: UnreadSegments?
        /// The call of a player; nil for a place in a stream.
        package var call: CallPlace?

        /// Creates a place without known fields.
        package init() {}
    }

    /// The key and the value that a finding about metadata concerns.
    package struct Subject: Sendable, Hashable {
        /// The key; nil if the finding concerns none.
        package let key: String?
        /// The value, truncated; nil if the finding concerns none.
        package let value: String?
        /// The expected values.
        package let expected: String?
        /// The guide and the section that state the rule.
        package let source: String?

        /// Creates a subject.
        package init(key: String?, value: String?, expected: String?, source: String?) {
            (self.key, self.value, self.expected, self.source) = (key, value, expected, source)
        }
    }

    /// A call in the log of a player.
    package struct CallPlace: Sendable, Hashable, CustomStringConvertible {
        /// The number of the line, from 1.
        package let line: Int
        /// Seconds since the start of the log.
        package let at: Double
        /// The session of the call, if several share the log; empty otherwise.
        package let instance: String
        /// The name of the call; empty for a line that cannot be read.
        package let name: String
        /// The number of the viewing session, from 1; nil outside of one.
        package let viewing: Int?
        /// The position of the player; nil if unknown.
        package let playhead: Double?

        /// Creates the place of a call.
        package init(
            line: Int, at: Double, instance: String, name: String, viewing: Int?, playhead: Double?
        ) {
            self.line = line
            self.at = at
            self.instance = instance
            self.name = name
            self.viewing = viewing
            self.playhead = playhead
        }

        /// The line, the session, the time and the call, such as `line 12, 34.0 s, sendID3`.
        package var description: String {
            let session = instance.isEmpty ? "" : ", session \(instance)"
            let call = name.isEmpty ? "" : ", \(name)"
            return "line \(line)\(session), \(DecimalText.fixed(at, decimals: 1)) s\(call)"
        }
    }

    /// The segments between two tags that could not be read, or only in part.
    package struct UnreadSegments: Sendable, Hashable, CustomStringConvertible {
        private let first: String
        private var last: String
        private var count = 1
        /// The number of them that were read in part.
        private var partCount: Int

        init(_ name: String, isPart: Bool) {
            first = name
            last = name
            partCount = isPart ? 1 : 0
        }

        /// Adds a segment, and returns the sum; the last segment is not added again.
        static func sum(_ earlier: UnreadSegments?, _ name: String, isPart: Bool) -> UnreadSegments {
            guard var sum = earlier else { return UnreadSegments(name, isPart: isPart) }
            if sum.last == name { return sum }
            sum.last = name
            sum.count += 1
            if isPart { sum.partCount += 1 }
            return sum
        }

        /// The names, to follow a semicolon: `seg3.ts between them could not be read`.
        package var description: String {
            let names = count == 1 ? first : "\(count) segments from \(first)"
            let extent =
                switch partCount {
                case 0: "could not be read"
                case count: "could only be read in part"
                default: "could not be read completely"
                }
            return "\(names) between them \(extent)"
        }
    }

    /// A finding of another check that follows from this one.
    public struct Consequence: Sendable, Hashable {
        /// The other check; the finding counts there, but is listed only here.
        public let check: CheckID
        /// The severity.
        public let status: CheckStatus
        /// The observed and the expected behavior.
        public let detail: String

        /// Creates a consequence.
        package init(check: CheckID, status: CheckStatus = .fail, detail: String) {
            self.check = check
            self.status = status
            self.detail = detail
        }
    }
}

/// A number of seconds formatted for a sentence: `9 s`, `0.75 s`, `-12.5 s`.
struct SecondsText: CustomStringConvertible {
    let description: String

    /// Formats a distance for people: exact below ten minutes, otherwise in two units, such as `7 days 13 h`.
    init(distance seconds: Double) {
        let isLong = seconds.magnitude >= 600
        description =
            isLong
            ? DurationText.distance(seconds) ?? SecondsText(seconds).description
            : SecondsText(seconds).description
    }

    /// Formats whole seconds.
    init(_ seconds: Int) { description = "\(seconds) s" }

    /// Formats seconds with up to three decimals, without trailing zeros.
    init(_ seconds: Double) {
        description = "\(DecimalText.short(seconds, unknown: "\(seconds)")) s"
    }
}

/// A Unix time formatted for people, in UTC.
struct UTCTime: CustomStringConvertible {
    /// Seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    let unixSeconds: Int64

    init(_ unixSeconds: UInt32) { self.unixSeconds = Int64(unixSeconds) }

    init(unixSeconds: Int64) { self.unixSeconds = unixSeconds }

    /// The time of day, such as `12:00:30 UTC`.
    var description: String { "\(RFC3339.clockText(unixSeconds: unixSeconds)) UTC" }

    /// The date and time, such as `2026-11-20 12:00:30 UTC`.
    var withDate: String { "\(RFC3339.tableText(unixSeconds: unixSeconds)) UTC" }
}

extension WallTime {
    /// The time of day, such as `12:00:30 UTC`.
    var clockText: String { "\(UTCTime(unixSeconds: unixMilliseconds / 1_000))" }
}
