package import NielsenID3

extension CheckID {
    /// `channel.ended`.
    package static let channelEnded = CheckID("channel.ended")
}

/// `channel.ended`: a live playlist is not complete.
enum ChannelEnded: LiveCheck {
    static let declaration = CheckDeclaration(
        .channelEnded, worst: .fail,
        notRun: "No live playlist was loaded.",
        expectation: "The live playlist does not end",
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
        alerting: .init(.first, isContinuous: true, stopsReading: true))

    /// The violation of a playlist that has ended.
    static let violation = CheckResult.violation(.fail, "the playlist has ended (EXT-X-ENDLIST)")
}
