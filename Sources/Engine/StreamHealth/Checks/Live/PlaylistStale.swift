package import HLSPlaylist
package import NielsenID3
import TextForms
import ID3v2

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
enum PlaylistStale: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistStale, worst: .fail, clock: .wall, limits: [.staleDurations, .stale],
        rowLimit: .staleDurations,
        notRun: "No live playlist was loaded twice.",
        expectation: "The live playlist keeps updating",
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
            .first, holdFactor: 4, explainedBy: [.playlistHTTP], isContinuous: true, stopsReading: true))

    /// Returns the text of a violation that lasts.
    static func text(since start: SteadyTime, until now: SteadyTime) -> String {
        "the playlist has not changed for \(DurationText.age(now - start))"
    }

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .stale(let duration, let targetDuration) = event else { return .notRun }
        return .violation(
            .fail,
            "the playlist has not changed for \(SecondsText(duration / .seconds(1))): with a target duration of "
                + "\(SecondsText(targetDuration / .seconds(1))) it must change within "
                + "\(SecondsText(StaleLimit(policy).duration(of: targetDuration) / .seconds(1))) (clock: wall)"
        )
    }
}
