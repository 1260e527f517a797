package import NielsenID3

extension CheckID {
    /// `playlist.http`.
    package static let playlistHTTP = CheckID("playlist.http")
}

/// `playlist.http`: each load of a live playlist succeeds.
enum PlaylistHTTP: LiveCheck {
    static let declaration = CheckDeclaration(
        .playlistHTTP, worst: .fail,
        notRun: "No live playlist was loaded.",
        expectation: "The playlist can be loaded",
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
        alerting: .init(isContinuous: true, stopsReading: true))

    /// Returns the violation for a failed load.
    static func check(_ failure: FetchFailure) -> CheckResult { .violation(.fail, text(failure.text)) }

    /// Returns the text of a violation for a reason, such as `failed: timed out`.
    static func text(_ reason: String) -> String { "the load of the playlist \(reason)" }
}
