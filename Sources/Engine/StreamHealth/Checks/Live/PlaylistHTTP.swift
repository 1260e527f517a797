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
            A load of the playlist failed: an error of the server or of the network, or an answer that is no playlist. While
            this lasts the channel cannot be played or followed, and nothing is known about its tags.
            """,
        appearance: """
            The finding has the status or the error. After the second failure in a row the channel is `unreachable`.
            """,
        cause: """
            The origin or an edge cache is down or overloaded (5xx, timeouts); the channel was moved or switched off (404,
            410); a token or session has expired (401, 403); an error page with status 200 in front of the origin.
            """,
        action: """
            Load the address by hand from the same machine, then at the origin. If only this machine cannot load it, look at
            its DNS, proxy, certificates and address filters; with 401 or 403 at the channel's header lines.
            """)

    /// Checks a load that failed.
    static func check(_ failure: FetchFailure) -> CheckResult {
        .violation(.fail, "the load of the playlist \(failure.text)")
    }
}
