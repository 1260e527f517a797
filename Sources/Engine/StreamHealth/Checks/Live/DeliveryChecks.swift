package import HLSPlaylist
import ID3v2
package import NielsenID3
import TextForms

extension CheckID {
    /// `playlist.stale`.
    package static let playlistStale = CheckID("playlist.stale")
}

extension HealthLimit {
    /// `playlist.stale`: the maximum time without a new segment, in target durations.
    package static let staleDurations = HealthLimit(
        "limit-stale-durations", 1.5, "target durations",
        "playlist.stale: maximum time without a new segment, in target durations")

    /// `playlist.stale`: the maximum time without a new segment in seconds, if that is longer.
    package static let stale = HealthLimit(
        "limit-stale", 0, "s",
        "playlist.stale: maximum time without a new segment, if longer than limit-stale-durations")
}

extension StaleLimit {
    /// Creates the limit that a policy states.
    package init(_ policy: HealthPolicy) {
        self.init()
        targetDurations = policy[.staleDurations]
        minimum = .milliseconds(Int64(policy[.stale] * 1_000))
    }
}

/// `playlist.stale`: a live playlist changes within one and a half target durations, or the limits that are set.
struct PlaylistStale: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistStale, of: .channel, on: [.playlistChange], worst: .fail, clock: .wall,
        limits: [.staleDurations, .stale],
        rowLimit: .staleDurations,
        notRun: "No live playlist was loaded twice.",
        expectation: "The live playlist keeps updating",
        urgency: "now: players stop",
        title: "The live playlist has stopped updating",
        meaning: """
            A live playlist must list a new segment within one and a half target durations of the last change (RFC 8216,
            6.2.2). This one does not: players run out of media, and no tag reaches a viewer until updates resume.
            """,
        appearance: """
            Every load returns the same bytes, or status 304. EXT-X-MEDIA-SEQUENCE and the last segment do not change.
            """,
        cause: """
            The encoder or packager has stopped while the origin still serves its last playlist; a cache keeps a
            playlist too long; or the origin's disk is full.
            """,
        action: """
            Load the playlist from the origin, bypassing the cache. If it changes there, shorten the cache's time to
            live for playlists. If not, check the packager, and then the encoder's input. If the packager publishes
            several segments at a time, raise the limits to the interval at which it does.
            """,
        alerting: .init(
            // Such a packager is stale only for the loads right before a change, and minutes can pass between two.
            .first, holdFactor: 4, explainedBy: [.playlistHTTP, .channelBackup], isContinuous: true,
            stopsReading: true))

    /// Returns the text of a violation that lasts.
    static func text(since start: SteadyTime, until now: SteadyTime) -> String {
        "the playlist has not changed for \(DurationText.age(now - start))"
    }

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .playlistChange(.stale(let duration, let targetDuration), let place) = event
        else { return }
        ledger.report(
            Self.id, .fail, at: place,
            "the playlist has not changed for \(SecondsText(duration / .seconds(1))): with a target duration of "
                + "\(SecondsText(targetDuration / .seconds(1))) it must change within "
                + "\(SecondsText(StaleLimit(ledger.policy).duration(of: targetDuration) / .seconds(1))) (clock: wall)"
        )
    }
}

extension CheckID {
    /// `playlist.http`.
    package static let playlistHTTP = CheckID("playlist.http")
}

/// `playlist.http`: each load of a live playlist succeeds.
struct PlaylistHTTP: HealthCheck {
    static let declaration = CheckDeclaration(
        .playlistHTTP, of: .channel, worst: .fail,
        notRun: "No live playlist was loaded.",
        expectation: "The playlist can be loaded",
        urgency: "now, once the channel is `unreachable`",
        title: "The playlist cannot be loaded",
        meaning: """
            A load of the playlist failed: a server or network error, or a response that is not a playlist. While this
            lasts, the channel cannot be played or monitored, and nothing is known about its tags.
            """,
        appearance: """
            The finding has the status or the error. After the second failure in a row the channel is `unreachable`.
            """,
        cause: """
            The origin or an edge cache is down or overloaded (5xx, timeouts); the channel was moved or switched off
            (404, 410); a token or session has expired (401, 403); or a server before the origin returns an error page
            with status 200.
            """,
        action: """
            Load the address by hand from the same machine, then at the origin. If only this machine cannot load it,
            check its DNS, proxy, certificates and address filters. For 401 or 403, check the channel's header lines.
            """,
        alerting: .init(explainedBy: [.channelBackup], isContinuous: true, stopsReading: true))

    /// Returns the violation for a failed load.
    static func check(_ failure: FetchFailure) -> CheckResult { .violation(.fail, text(failure.text)) }

    /// Returns the text of a violation for a reason, such as `failed: timed out`.
    static func text(_ reason: String) -> String { "the load of the playlist \(reason)" }

    /// Returns the reason of a load that takes too long, as half a sentence.
    static func text(unansweredSince start: SteadyTime, until now: SteadyTime) -> String {
        "has not been answered for \(DurationText.age(now - start))"
    }
}

extension CheckID {
    /// `channel.ended`.
    package static let channelEnded = CheckID("channel.ended")
}

/// `channel.ended`: a live playlist is not complete.
struct ChannelEnded: HealthCheck {
    static let declaration = CheckDeclaration(
        .channelEnded, of: .channel, worst: .fail,
        notRun: "No live playlist was loaded.",
        expectation: "The live playlist does not end",
        urgency: "now: players stop",
        title: "The live playlist has ended",
        meaning: """
            The playlist has EXT-X-ENDLIST, or EXT-X-PLAYLIST-TYPE with the value VOD: no segment will be added (RFC
            8216, 4.3.3.4). Players stop after its last segment, and there are no more tags. The monitor reads the last
            segment, then loads the playlist every 30 s, after an hour every 5 minutes, and continues when it lists new
            segments.
            """,
        appearance: """
            The last line of the playlist is #EXT-X-ENDLIST. The channel is `ended`, unless its backup continues.
            """,
        cause: """
            The packager was stopped or restarted: most packagers complete their playlist when they stop. Or the event
            is over, the channel has a new address, or the address is that of a recording.
            """,
        action: """
            Restart the packager, or correct the address of the channel. If the channel ends regularly, set `may-end =
            yes` in the channel file: its end is then not reported, and its playlist not loaded again.
            """,
        alerting: .init(.first, explainedBy: [.channelBackup], isContinuous: true, stopsReading: true))

    /// The violation of a playlist that has ended.
    static let violation = CheckResult.violation(.fail, "the playlist has ended (EXT-X-ENDLIST)")
}

extension CheckID {
    /// `segment.http`.
    package static let segmentHTTP = CheckID("segment.http")
}

/// `segment.http`: each segment that a live playlist lists can be loaded.
struct SegmentHTTP: HealthCheck {
    static let declaration = CheckDeclaration(
        .segmentHTTP, of: .channel, on: [.segmentLoad], worst: .fail,
        notRun: "No segment was loaded.",
        expectation: "Every listed segment can be loaded",
        urgency: "now if it persists: viewers lack these segments too",
        title: "A listed segment cannot be loaded",
        meaning: """
            The playlist lists a segment that could not be loaded or read. Its media and its tags are missing for all
            viewers who play the channel now.
            """,
        appearance: """
            The playlist loads normally, and the finding names the segment with the status or the error. The next tag
            often has a step in its sequence.
            """,
        cause: """
            The playlist is published before the segment (404 at first, then 200); segments are deleted while they are
            still listed; one of several origins lacks them; a cache keeps a 404; or a download stops in the middle.
            """,
        action: """
            Load the segment again. If it is there now, the packager publishes too early or a cache kept the error. If
            not, compare the origins behind the address.
            """,
        alerting: .init(explainedBy: [.channelBackup], stopsReading: true))

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segmentLoad(let load, let place) = event else { return }
        ledger.markRun(Self.id)
        guard let failure = load.failure else { return }
        ledger.report(Self.id, .fail, at: place, "the load of the segment \(failure.text)")
    }
}

extension CheckID {
    /// `segment.late`.
    package static let segmentLate = CheckID("segment.late")
}

/// `segment.late`: each segment can be loaded when the playlist lists it.
struct SegmentLate: HealthCheck {
    static let declaration = CheckDeclaration(
        .segmentLate, of: .channel, on: [.segmentLoad], worst: .warn, clock: .wall,
        notRun: "No segment was loaded.",
        expectation: "Every listed segment can be loaded at once",
        title: "A listed segment came late",
        meaning: """
            A server must make a segment available before the playlist lists it (RFC 8216, 6.2.1). This one could not be
            loaded or read at first, and was there more than a target duration later. Its tags were read then, but
            players that asked for it in between may have skipped it.
            """,
        appearance: """
            The finding names the segment and the time from the first request to the one that succeeded. Tags are not
            missing.
            """,
        cause: """
            The packager publishes the playlist before the segment is on all servers; a replication between origins is
            slow; or a cache keeps the answer 404 of an early request.
            """,
        action: """
            Publish a segment before the playlist that lists it. Do not let caches keep answers with an error status for
            longer than a second.
            """,
        alerting: .init(explainedBy: [.channelBackup]))

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segmentLoad(let load, let place) = event, load.failure == nil else { return }
        ledger.markRun(Self.id)
        guard let delay = load.delay else { return }
        ledger.report(
            Self.id, .warn, at: place,
            "the segment could be read only \(SecondsText(delay)) after the playlist listed it")
    }
}

extension CheckID {
    /// `segment.slow`.
    package static let segmentSlow = CheckID("segment.slow")
}

extension HealthLimit {
    /// `segment.slow`: the maximum load time, in durations of the segment.
    package static let slowSegment = HealthLimit(
        "limit-slow-segment", 1, "durations",
        "segment.slow: maximum load time, in durations of the segment")
}

/// `segment.slow`: a segment loads in less time than it plays.
struct SegmentSlow: HealthCheck {
    static let declaration = CheckDeclaration(
        .segmentSlow, of: .channel, on: [.segmentLoad], worst: .warn, clock: .wall, limits: [.slowSegment],
        rowLimit: .slowSegment,
        notRun: "No segment was loaded.",
        expectation: "A segment loads faster than it plays",
        urgency: "if many channels have it, look at this machine first",
        title: "A segment loads more slowly than it plays",
        meaning: """
            The load of a segment took longer than the segment plays. A player with the same download speed runs out of
            media: it stalls, or switches to a lower rendition.
            """,
        appearance: """
            The finding has both times. A much lower rendition from the same address loads fast.
            """,
        cause: """
            An origin or cache that is overloaded, or that sends a segment while it is still being encoded; a network
            path with too little bandwidth; or a machine that follows too many channels.
            """,
        action: """
            Compare with other channels of the same host, and with this channel from another machine. If all channels
            are slow here, check the load and the network of this machine.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segmentLoad(let load, let place) = event, load.failure == nil, load.seconds.isFinite,
            load.duration > 0
        else { return }
        ledger.markRun(Self.id)
        let limit = load.duration * ledger.policy[.slowSegment]
        guard load.seconds > limit else { return }
        let seconds = SecondsText((load.seconds * 1_000).rounded() / 1_000)
        ledger.report(
            Self.id, .warn, at: place,
            "the segment of \(SecondsText(load.duration)) took \(seconds) to load: "
                + "up to \(SecondsText(limit)) is normal (clock: wall)")
    }
}
