import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.sequence-gap`.
    package static let playlistSequenceGap = CheckID("playlist.sequence-gap")
}

/// `playlist.sequence-gap`: every segment is listed in at least one load before its removal.
struct PlaylistSequenceGap: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistSequenceGap, of: .channel, on: [.playlistChange], worst: .fail,
        notRun: "No live playlist was loaded twice.",
        expectation: "No segment is removed before it was listed",
        urgency: "in the morning; after an outage it shows the cost of the outage",
        title: "Segments of the live playlist were never listed",
        meaning: """
            The oldest segment of the playlist is later than the successor of the newest segment in the previous load:
            the segments between were removed before any load listed them. Their tags were not read, and players with
            the same reload interval miss their media.
            """,
        appearance: """
            EXT-X-MEDIA-SEQUENCE increases by more than the number of segments in the previous load.
            """,
        cause: """
            A cache or origin that served an old playlist for a long time and then a new one; a window of very few
            segments; an encoder that jumps ahead after a restart; or loads that failed for longer than the window
            lasts.
            """,
        action: """
            Check for `playlist.stale` and `playlist.http` just before. Without them, compare the media sequence at the
            origin and behind each cache, and lengthen the window to at least three target durations.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .playlistChange(.sequenceGap(let expected, let found), let place) = event else { return }
        let count = max(1, found.subtractingReportingOverflow(expected).partialValue)
        ledger.report(
            Self.id, .fail, at: place,
            "the playlist begins with media sequence \(found), not with \(expected): \(count) "
                + "segment\(count == 1 ? " was" : "s were") removed before any load listed "
                + (count == 1 ? "it" : "them"))
    }
}

extension CheckID {
    /// `playlist.sequence-back`.
    package static let playlistSequenceBack = CheckID("playlist.sequence-back")
}

/// `playlist.sequence-back`: the media sequence of a live playlist never decreases.
struct PlaylistSequenceBack: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistSequenceBack, of: .channel, on: [.playlistChange], worst: .warn,
        notRun: "No live playlist was loaded twice.",
        expectation: "The media sequence never decreases",
        title: "The media sequence of the live playlist decreases",
        meaning: """
            Segment numbers must not decrease (RFC 8216, 6.2.2). Here they decreased or restarted: players may stall,
            play segments twice, or need a restart. The monitor reads the segments from the oldest on.
            """,
        appearance: """
            EXT-X-MEDIA-SEQUENCE is lower than in the previous load, often 0 or 1. If it is slightly lower and correct
            again in the next load, a cache returned an old playlist.
            """,
        cause: """
            The packager restarted without its last segment number; or two packagers or edge caches serve the same
            address in turn and disagree.
            """,
        action: """
            A single decrease at a known restart needs no action. If it recurs, find out whether several origins serve
            the address in turn, and configure the packager to keep its numbers across restarts.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .playlistChange(.sequenceBack(let newest, let found), let place) = event else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the playlist begins with media sequence \(found), but the newest segment was \(newest): the sequence "
                + "decreased or restarted")
    }
}

extension CheckID {
    /// `playlist.discontinuity-sequence`.
    package static let playlistDiscontinuitySequence = CheckID("playlist.discontinuity-sequence")
}

/// `playlist.discontinuity-sequence`: a segment keeps its discontinuity sequence number.
struct PlaylistDiscontinuitySequence: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistDiscontinuitySequence, of: .channel, on: [.playlistChange], worst: .warn,
        notRun: "No live playlist was loaded twice.",
        expectation: "A segment keeps its discontinuity sequence number",
        title: "The discontinuity sequence of a listed segment changes",
        meaning: """
            EXT-X-DISCONTINUITY-SEQUENCE must count the discontinuities that have left the playlist (RFC 8216, 6.2.2).
            It does not, so players may match renditions incorrectly: sound or tags from one side of a splice with
            pictures from the other.
            """,
        appearance: """
            A segment that stays in the window has a different discontinuity sequence number than before, usually just
            after an EXT-X-DISCONTINUITY has left the playlist.
            """,
        cause: """
            A packager or an ad-stitching server does not write EXT-X-DISCONTINUITY-SEQUENCE, or increments it one load
            too early or too late.
            """,
        action: """
            Save two loads around an advertisement break, and give both to the operator of the packager or the
            advertisement insertion.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard
            case .playlistChange(
                .discontinuitySequence(let mediaSequence, let expected, let found), let place) = event
        else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the segment with media sequence \(mediaSequence) has discontinuity sequence \(found), but had \(expected) "
                + "in the previous load")
    }
}

extension CheckID {
    /// `playlist.segment-too-long`.
    package static let playlistSegmentTooLong = CheckID("playlist.segment-too-long")
}

/// `playlist.segment-too-long`: no segment is longer than the target duration.
struct PlaylistSegmentTooLong: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistSegmentTooLong, of: .channel, on: [.playlistChange], worst: .warn,
        notRun: "No live playlist was loaded.",
        expectation: "No segment is longer than the target duration",
        title: "A segment is longer than the target duration",
        meaning: """
            The EXTINF of each segment, rounded to whole seconds, must not exceed EXT-X-TARGETDURATION (RFC 8216,
            4.3.3.1). Players derive their reload interval and buffer size from the target duration: a longer segment
            can make them stall.
            """,
        appearance: """
            `#EXTINF:9.6,` below `#EXT-X-TARGETDURATION:6`, often just before an advertisement break.
            """,
        cause: """
            Key frames that are not aligned with the segment's end; a segment that was extended to a splice point; or a
            target duration that is set once from the configuration.
            """,
        action: """
            Set the encoder to a fixed key frame interval that divides the segment duration, or raise the packager's
            target duration to the longest segment.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard
            case .playlistChange(
                .segmentTooLong(let mediaSequence, let seconds, let targetDuration), let place) = event
        else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the segment with media sequence \(mediaSequence) lasts \(SecondsText(seconds)): the target duration is "
                + "\(SecondsText(targetDuration))")
    }
}

extension CheckID {
    /// `playlist.date-jump`.
    package static let playlistDateJump = CheckID("playlist.date-jump")
}

extension HealthLimit {
    /// `playlist.date-jump`: the maximum distance between a date and the end of the previous segment.
    package static let dateJump = HealthLimit(
        "limit-date-jump", 1, "s",
        "playlist.date-jump: maximum distance between a date and the end of the previous segment")
}

/// `playlist.date-jump`: EXT-X-PROGRAM-DATE-TIME continues from the end of the previous segment.
struct PlaylistDateJump: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistDateJump, of: .channel, on: [.playlistChange], worst: .warn, limits: [.dateJump],
        rowLimit: .dateJump,
        notRun: "The live playlist has no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "EXT-X-PROGRAM-DATE-TIME advances with the media",
        title: "The date in the live playlist jumps",
        meaning: """
            EXT-X-PROGRAM-DATE-TIME of a segment does not match the end of the previous segment, and there is no
            EXT-X-DISCONTINUITY between them. Media is missing or repeated, or the dates are wrong; anything placed by
            date is misplaced.
            """,
        appearance: """
            The difference between two dates is not the sum of the EXTINF durations between them. The finding has the
            deviation.
            """,
        cause: """
            Media that the encoder lost without informing the packager; a clock that was stepped instead of slewed; or a
            packager that restarted without writing a discontinuity.
            """,
        action: """
            Check for a finding of `sequence.step` or `time.gap` at the same place: then media is missing there.
            Otherwise check the clock of the packager, and have NTP slew it.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .playlistChange(.dateJump(let mediaSequence, let milliseconds), let place) = event
        else { return }
        let seconds = Double(milliseconds) / 1_000
        ledger.markRun(Self.id)
        let limit = ledger.policy[.dateJump]
        guard seconds.magnitude > limit else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the date of the segment with media sequence \(mediaSequence) is \(SecondsText(seconds.magnitude)) "
                + "\(seconds < 0 ? "before" : "after") the end of the previous segment, without a discontinuity: up to "
                + "\(SecondsText(limit)) is normal")
    }
}

extension CheckID {
    /// `segment.changed`.
    package static let segmentChanged = CheckID("segment.changed")
}

/// `segment.changed`: a segment's address does not change.
struct SegmentChanged: HealthCheck {
    static let declaration = CheckDeclaration(
        .segmentChanged, of: .channel, on: [.playlistChange], worst: .warn,
        notRun: "No segment was seen twice.",
        expectation: "A segment keeps its address",
        title: "The address of a listed segment has changed",
        meaning: """
            The same media sequence number has another address than in the previous load of the playlist. Players that
            loaded the segment earlier have different media, and different tags, from players that load it now.
            """,
        appearance: "Two loads of the playlist disagree about the address of a segment in both.",
        cause: """
            Two packagers that serve one address in turn, or a packager that numbers its segments differently after a
            restart.
            """,
        action: """
            Make sure that each segment has a unique name, with the time or a number that continues across restarts, and
            that only one origin at a time serves the channel.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .playlistChange(.segmentReplaced(let mediaSequence, let from, let to), let place) = event
        else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the segment with media sequence \(mediaSequence) is now \(Self.shown(to)), but was "
                + "\(Self.shown(from)) in the previous load")
    }

    /// Returns a URI without its query, which may contain a signature.
    private static func shown(_ uri: String) -> Substring { uri.prefix { $0 != "?" } }
}

extension CheckID {
    /// `playlist.variant-drift`.
    package static let playlistVariantDrift = CheckID("playlist.variant-drift")
}

extension HealthLimit {
    /// `playlist.variant-drift`: the maximum lag of a rendition behind another.
    package static let variantDrift = HealthLimit(
        "limit-variant-drift", 3, "target durations",
        "playlist.variant-drift: maximum lag of a rendition behind another")
}

/// `playlist.variant-drift`: the playlists of the renditions end at about the same date.
struct PlaylistVariantDrift: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistVariantDrift, of: .channel, worst: .warn, clock: .wall, limits: [.variantDrift],
        rowLimit: .variantDrift,
        notRun: "Only one rendition was followed, or the renditions have no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "No rendition lags behind the others",
        title: "A rendition lags behind the others",
        meaning: """
            The playlists of a presentation must list the same content, up to one target duration at their ends (RFC
            8216, 6.2.4). One rendition lags further behind: players that switch to it repeat or skip media, including
            its tags.
            """,
        appearance: """
            The dates at the ends of the media playlists differ by several segments, and the difference is constant or
            grows.
            """,
        cause: """
            One encoder of the ladder is overloaded or was started later; a cache keeps the playlist of one rendition
            longer; or the renditions come from two packagers.
            """,
        action: """
            Compare the last segment of each media playlist at the origin. If they agree there, check the caches. If
            not, check the load of the encoder that makes the late rendition.
            """)

    /// Checks the lag of the slowest rendition behind the fastest.
    ///
    /// Both are given in seconds behind the wall clock.
    static func check(
        behind slowest: Double, and fastest: Double, targetDuration: Double, by policy: HealthPolicy
    ) -> CheckResult {
        let limit = policy[.variantDrift] * targetDuration
        guard slowest - fastest > limit else { return .pass }
        return .violation(
            .warn,
            "the playlist ends \(SecondsText(slowest)) behind the wall clock, that of another rendition "
                + "\(SecondsText(fastest)): up to \(SecondsText(limit)) of difference is normal (clock: wall)"
        )
    }
}
