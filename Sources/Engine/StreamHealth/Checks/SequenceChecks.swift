import ID3v2
package import NielsenID3

extension CheckID {
    /// `sequence.step`.
    package static let sequenceStep = CheckID("sequence.step")
}

extension HealthLimit {
    /// The maximum time between identical tags that count as a repeat.
    public static let repeatAge = HealthLimit(
        "limit-repeat-age", 60, "s",
        "maximum time between identical tags that count as a repeat")
    /// `sequence.step`: the maximum delay of an INFO tag, in places of the sequence.
    public static let infoDelay = HealthLimit(
        "limit-info-delay", 3, "places",
        "sequence.step: maximum delay of an INFO tag, in places of the sequence")
}

/// `sequence.step`: each tag's number is the previous tag's number plus 1, modulo 65536.
///
/// `InserterRuns` determines the previous tag. `PendingStep` waits for the tags that decide the severity.
struct SequenceStep: HealthCheck {
    static let declaration = CheckDeclaration(
        .sequenceStep, worst: .fail, clock: .tag, limits: [.repeatAge, .infoDelay, .gap],
        needsOnlyOwner: true,
        notRun: "No two tags follow each other.",
        expectation: "Sequence numbers increase by one: no tag is lost or repeated",
        urgency: "now with `time.gap`, because tags are lost on the way; occasional steps can wait",
        title: "Tag sequence numbers are not consecutive",
        meaning: """
            An inserter numbers its tags from 0 to 65535 and then from 0 again, INFO and DATA tags in one sequence. A
            step with a gap in the tag times means that tags were lost (fail). The other cases are warnings: a step
            without a gap is a change to another inserter, a step over a discontinuity is replaced content, and the same
            tag again is a repeat. An INFO tag up to three places late is normal.
            """,
        appearance: """
            Sequence numbers such as 52, 53, 57 with 40 s between the times of 53 and 57: three tags are missing.
            Numbers such as 52, 53, 9000 with continuous times are a fail-over.
            """,
        cause: """
            Lost tags: dropped segments, lost packets, or a packager that keeps one tag per segment and drops the
            others. A fail-over from a primary to a backup inserter, which number their tags independently. Repeats come
            from packagers that put a tag at a segment's edge into both segments.
            """,
        action: """
            For a failure, compare with the stream before each hop until the missing numbers are there. If each segment
            has at most one tag, the packager is the cause. A warning at a known fail-over or splice needs no action.
            Repeats do not affect counting, but find out why they occur.
            """,
        alerting: .init(explainedBy: [.segmentHTTP, .playlistSequenceGap]))

    /// Describes a step: the numbers found and the number expected.
    static func sentence(for step: PendingStep) -> String {
        let seen = sentence(from: step.from, to: step.to)
        guard step.kind == .ahead else { return seen }
        guard let first = step.missing.first else {
            return seen + ", and the numbers between came late on tags that are not INFO tags"
        }
        if step.missing.count == 1 { return seen + ": \(first) is missing" }
        return seen + ": \(step.missing.count) numbers starting at \(first) are missing"
    }

    /// Describes a step by the number before it and the number after it.
    static func sentence(from: UInt16, to: UInt16) -> String {
        "after sequence \(from) comes \(to), not \(from &+ 1)"
    }

    /// Returns the meaning of a step without a time gap, as a phrase.
    static func meaning(of step: PendingStep) -> String {
        switch step.kind {
        case .restart: return ": the sequence starts over because the encoder was restarted"
        case .replacement: return "over a discontinuity: content was replaced"
        case .ahead, .elsewhere: break
        }
        return switch step.timing {
        case .unknown, .none: "(no DATA tag shows whether time is missing too)"
        case .distance:
            step.kind == .ahead && step.missing.count <= 1
                ? "without a time gap: an INFO tag is missing, or another inserter took over"
                : "without a time gap: another inserter took over"
        }
    }
}

extension CheckID {
    /// `time.gap`.
    package static let timeGap = CheckID("time.gap")
}

extension HealthLimit {
    /// `time.gap`: the maximum time from the last time of one DATA tag to the first time of the next.
    public static let gap = HealthLimit(
        "limit-gap", 9, "s",
        "time.gap: maximum time from the last time of one DATA tag to the first time of the next")
}

/// `time.gap`: the first time of a DATA tag is at most 9 seconds after the last time of the previous one.
///
/// It fails if the sequence also steps, and then `sequence.step` reports it. It warns if the sequence is consecutive.
struct TimeGap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeGap, worst: .fail, clock: .tag, limits: [.gap], rowLimit: .gap, needsOnlyOwner: true,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag begins soon after the end of the previous one",
        urgency: "as for `sequence.step`",
        title: "There is a gap between the times of two tags",
        meaning: """
            The next DATA tag begins more than nine seconds after the end of the previous one: that time is not
            credited. If the sequence steps too, tags were lost (fail). If it is consecutive, the inserter heard no
            watermark (warn), which is normal in an advertisement without one.
            """,
        appearance: """
            In `dtvr scan`, the `last` of one tag is far from the `first` of the next. In a clean stream they are equal.
            """,
        cause: """
            With a step in the sequence: lost segments or packets, see `sequence.step`. Without one: silence, music or
            an advertisement without a watermark, a switch to an audio track without one, or audio processing before the
            inserter that removes the watermark.
            """,
        action: """
            Compare the time of the gap with the schedule. If content with a watermark ran then, listen to the audio at
            the inserter's input: correct track, correct level, no downmix or time stretching before it.
            """,
        alerting: .init(explainedBy: [.segmentHTTP, .playlistSequenceGap]))

    /// Checks the seconds between two DATA tags; broken tags between them may account for some of the time.
    ///
    /// `unread` is the segments between them that could not be read, which explain a gap.
    static func check(
        _ distance: Int, from last: UInt32, to first: UInt32, brokenCount: Int,
        unread: Finding.UnreadSegments? = nil,
        policy: HealthPolicy
    ) -> CheckResult {
        let filled = Double(brokenCount) * policy[.longestTag]
        let limit = policy[.gap]
        guard Double(distance) - filled > limit else { return .pass }
        let usual = max(1, Int((Double(distance) / 10).rounded()))
        let room = usual == 1 ? "a tag" : "\(usual) tags"
        let explanation =
            unread.map { "\($0)" } ?? "\(room) may be missing between them, or no watermark was heard"
        return .violation(
            .fail,
            "last time \(UTCTime(last)) is \(SecondsText(distance: Double(distance))) before the next DATA tag's "
                + "first, "
                + "\(UTCTime(first)): up to \(SecondsText(limit)) is normal; \(explanation) (clock: tag)")
    }
}

extension CheckID {
    /// `time.overlap`.
    package static let timeOverlap = CheckID("time.overlap")
}

extension HealthLimit {
    /// `time.overlap`: the maximum overlap of a DATA tag with the previous one.
    public static let overlap = HealthLimit(
        "limit-overlap", 9, "s",
        "time.overlap: maximum overlap of a DATA tag with the previous one")
}

/// `time.overlap`: a DATA tag begins at most 9 seconds before the end of the previous one.
struct TimeOverlap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeOverlap, worst: .fail, clock: .tag, limits: [.overlap], rowLimit: .overlap, needsOnlyOwner: true,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag does not begin long before the end of the previous one",
        title: "The times of two tags overlap",
        meaning: """
            A DATA tag begins more than nine seconds before the end of the previous one in the same run. The same
            seconds are reported twice, by tags that disagree (fail). An overlap of up to nine seconds is normal at a
            fail-over. If the tags are those of earlier content, the content repeats: fail, or a warning if it is
            marked by a discontinuity or repeats within a minute. A PTS that goes back from one file of a folder to the
            next is a warning.
            """,
        appearance: """
            The `first` of a tag is earlier than the `last` of the previous one, although its PTS is later. Content
            that repeats has the same tags again.
            """,
        cause: """
            Two inserters in series that both add tags; content that was joined out of order, such as a catch-up
            recording that starts over; or an inserter whose wall clock was set back. Repeated content comes from a
            loop, from an archive or segments that were joined twice, or from copies of a file. A PTS that goes back
            comes from these, and from segments of several renditions or recordings in one folder.
            """,
        action: """
            Make sure that the chain has only one inserter (configure a second one to leave tagged audio alone) and that
            NTP slews its clock instead of stepping it. Remove copies, and read renditions by their playlists.
            """)

    /// The maximum overlap of two segments that is not a PTS that goes back, in seconds.
    private static let maximumSegmentOverlap = 1.0

    /// Returns the distance of a PTS that goes back between two segments in seconds, or nil.
    static func backwardSeconds(from last: MediaTimestamp, to first: MediaTimestamp) -> Double? {
        let step = last.distance(to: first)
        return step < -maximumSegmentOverlap ? -step : nil
    }

    /// Describes tags that are those of earlier content.
    static func replay(at step: PendingStep) -> String {
        guard case .distance(let distance, let last, let first) = step.timing, distance < 0 else {
            return
                "sequence \(step.to) was there before, with the same times: the content repeats (clock: tag)"
        }
        return
            "tag times go back by \(SecondsText(distance: Double(-distance))), from \(UTCTime(last)) to "
            + "\(UTCTime(first)), and "
            + "sequence \(step.to) was there before: the content repeats (clock: tag)"
    }

    /// Checks the seconds between two DATA tags.
    static func check(_ distance: Int, from last: UInt32, to first: UInt32, policy: HealthPolicy)
        -> CheckResult
    {
        let limit = policy[.overlap]
        guard Double(-distance) > limit else { return .pass }
        return .violation(
            .fail,
            "first time \(UTCTime(first)) is \(SecondsText(distance: Double(-distance))) before the last time of the "
                + "previous DATA tag, "
                + "\(UTCTime(last)): up to \(SecondsText(limit)) of overlap is normal (clock: tag)")
    }
}

extension HealthLimit {
    /// `time.duration`: the longest time that a DATA tag may span.
    public static let longestTag = HealthLimit(
        "limit-longest-tag", TagPolicy().longestTag, "s",
        "time.duration: longest time that a DATA tag may span")
    /// `time.duration`: the shortest time that a DATA tag with an unused block may span.
    public static let shortestTag = HealthLimit(
        "limit-shortest-tag", TagPolicy().shortestTag, "s",
        "time.duration: shortest time that a DATA tag with an unused block may span")
}

/// `time.duration`: a DATA tag spans 4 to 12 seconds, or less if it was closed early because it was full.
struct TimeDuration: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeDuration, on: [.tag], worst: .fail, clock: .tag, limits: [.longestTag, .shortestTag],
        rowLimit: .longestTag,
        needsOnlyOwner: true,
        notRun: "No DATA tag was read.",
        expectation: "A DATA tag spans a normal length of time",
        title: "A tag spans too long or too short a time",
        meaning: """
            A DATA tag spans ten seconds. A tag of more than twelve seconds, or of less than four although it has room
            left, was not closed when it should have been. A short tag passes if all of its seven blocks are used,
            because it was closed when it was full.
            """,
        appearance: """
            `last` − `first` is above 12 s, below 4 s, or negative. The finding has the number of unused blocks.
            """,
        cause: """
            The inserter was fed faster or slower than real time (a file read without pacing; then `time.rate` fails
            too), it was restarted in the middle of a tag, or its clock was stepped.
            """,
        action: """
            Check `time.rate` first. A single finding at a restart of the inserter needs no action. If findings are
            regular, find out what restarts the inserter or steps its clock.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        let policy = ledger.policy
        ledger.report(.duration, of: tag, Self.detail(of: tag.occurrence.tag, by: policy))
    }

    private static func detail(of tag: NielsenTag, by policy: HealthPolicy) -> String {
        let duration = tag.duration ?? 0
        let spans = "\(span(of: tag)) the tag spans \(SecondsText(duration))"
        let longest = policy[.longestTag]
        if Double(duration) > longest { return "\(spans): up to \(SecondsText(longest)) is normal" }
        return "\(spans) with \(tag.unusedBlockCount ?? 0) of seven blocks unused: "
            + "at least \(SecondsText(policy[.shortestTag])) is normal unless all are used"
    }

    private static func span(of tag: NielsenTag) -> String {
        guard let first = tag.firstTime, let last = tag.lastTime else { return "" }
        return "from \(UTCTime(first)) to \(UTCTime(last))"
    }
}

extension CheckID {
    /// `time.audio-sync`.
    package static let timeAudioSync = CheckID("time.audio-sync")
}

extension HealthLimit {
    /// `time.audio-sync`: the maximum distance between a tag and the audio.
    public static let audioSync = HealthLimit(
        "limit-audio-sync", 15, "s",
        "time.audio-sync: maximum distance between a tag and the audio")
}

/// `time.audio-sync`: a tag's time is near its source audio.
///
/// In a transport stream, the reference is the last audio PTS before the tag's first packet, or the last video PTS if
/// there is no audio. In packed audio and fragmented MP4, and in a transport stream without such a PTS, it is the
/// segment's span.
struct TimeAudioSync: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeAudioSync, on: [.arrival], worst: .fail, clock: .stream, limits: [.audioSync],
        rowLimit: .audioSync,
        notRun: "No tag with a time was near audio or video with a time.",
        expectation: "A tag is near its source audio",
        title: "A tag is far from the audio that it describes",
        meaning: """
            The PTS of the tag is more than 15 s from the audio beside it in the stream. A player delivers the tag at
            the wrong time, or never if its time has passed before the segment is loaded.
            """,
        appearance: """
            The finding has the tag's time and that of the last audio packet before it (in fMP4 and packed audio, the
            span of the segment). A constant distance suggests an offset; a growing distance suggests a separate clock.
            """,
        cause: """
            A step that restamps audio and video but not the metadata PID: FFmpeg with `-output_ts_offset`, `-itsoffset`
            on only one input or a muxer that starts at zero; a splicer that rebases the PTS; or a wrap of the 33-bit
            PTS in one stream but not the other. In version 1 of `emsg`, a presentation time in a timescale other than
            the track's has the same effect.
            """,
        action: """
            Make sure that the step that changes timestamps changes those of all PIDs equally. If the offset is
            constant, its amount identifies the step: compare the first PTS before and after each.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .arrival(let tag, let segment, _, let place) = event else { return }
        ledger.report(Self.id, Self.check(tag, in: segment, by: ledger.policy), at: place)
    }

    /// Checks the distance of a tag from the audio around it.
    static func check(
        _ tag: TagOccurrence, in segment: SegmentContext?, by policy: HealthPolicy
    ) -> CheckResult {
        guard tag.validKind != nil, let (seconds, base) = AudioDistance.of(tag, in: segment) else {
            return .notRun
        }
        let limit = policy[.audioSync]
        guard seconds.magnitude > limit else { return .pass }
        let side =
            switch base {
            case .precedingAudio:
                seconds < 0 ? "before the audio that precedes it" : "after the audio that precedes it"
            case .segment: seconds < 0 ? "before the audio of its segment" : "after the audio of its segment"
            }
        return .violation(
            .fail,
            "the tag's time is \(SecondsText(distance: seconds.magnitude)) \(side): up to "
                + "\(SecondsText(limit)) is normal "
                + "(clock: pts)")
    }
}
