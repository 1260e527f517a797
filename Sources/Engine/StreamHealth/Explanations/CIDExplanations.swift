/// `cid`: the content ids and how far into their day they are.
extension CheckExplanation {
    static let offsetOfNull = CheckExplanation(
        .offsetOfNull, worst: .fail,
        title: "No content was heard, and yet there is an offset",
        meaning: """
            The null CID says that no watermark of this kind was heard. There is then nothing that an offset could be
            counted from, and it must be 00000.
            """,
        appearance: """
            `pc_cid` is `X100zdCIGeIlgZnkYj6UvQ==` with a `pc_offset` other than 0, or the same of FD.
            """,
        cause: """
            An inserter that keeps the last offset when it loses the watermark, or a tool that blanks content ids and
            forgets the offsets.
            """,
        action: """
            See whether it is so at the inserter's output, and report it to its maker with the finding's tag.
            """)

    static let nullRun = CheckExplanation(
        .nullRun, worst: .warn, limits: [.nullRun],
        title: "A content id that was there has stayed null",
        meaning: """
            A CID was set and has been null for more than three DATA tags, some 30 s: that watermark, of the programme (PC)
            or the distributor (FD), is no longer heard. What is on now is credited by the other one or not at all. 10 to
            20 s of it after a change of source are normal.
            """,
        appearance: """
            Runs of `X100zdCIGeIlgZnkYj6UvQ==` in one of the two columns, while the other one goes on.
            """,
        cause: """
            A local break or a programme without that watermark; a change to an audio track that has none; audio processing
            that takes one of the watermarks out.
            """,
        action: """
            Compare with the schedule. If the programme should have the watermark, ask who encodes it: the
            producer for PC, the station or network for FD.
            """)

    static let offsetAdvance = CheckExplanation(
        .offsetAdvance, worst: .fail, clock: .tag, limits: [.offsetWarn, .offsetFail],
        title: "An offset does not advance like time",
        meaning: """
            While a CID stays the same, its offset goes up by the seconds that the tag's last time goes up by. Here
            the two differ: the content jumped within one broadcast day, or the offset is wrong.
            """,
        appearance: """
            `last` goes up by 10 and `fd_offset` by 40, or by nothing. The finding has both.
            """,
        cause: """
            Recorded content cut together or looped behind the encoder of the watermark; a discontinuity that was not
            signalled as EXT-X-DISCONTINUITY; a watermark heard from two sources in turn (crosstalk, a mix of two channels).
            """,
        action: """
            Look at the picture at that place. If content jumps there, the playlist must say so with EXT-X-DISCONTINUITY.
            If not, look at the audio's path in front of the inserter for a second source.
            """)

    static let cidChange = CheckExplanation(
        .cidChange, worst: .pass,
        title: "A content id changes",
        meaning: """
            From here on the content is of another source or another broadcast day. This is information: it happens at a
            change of programme source, at a local break, and at the start of the day at 3 a.m.
            """,
        appearance: """
            Another `pc_cid` or `fd_cid` than in the DATA tag before. Equal text means the same source and the same day.
            """,
        cause: """
            As above; nothing is wrong. Changes to and fro with every tag hint at two sources that are mixed.
            """,
        action: """
            Nothing, unless a change is where the schedule has none.
            """)
}
