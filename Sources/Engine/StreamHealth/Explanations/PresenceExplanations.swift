/// `presence`: the alarm of a live stream.
extension CheckExplanation {
    static let presenceSilent = CheckExplanation(
        .presenceSilent, worst: .fail, clock: .wall, limits: [.silence],
        title: "A live stream has had no tag for too long",
        meaning: """
            For longer than the limit no DATA tag came, by the clock on the wall. As long as this lasts nobody who watches is
            counted.
            """,
        appearance: """
            New segments arrive and have no DATA tags; or no segments arrive at all, which the monitor says beside it.
            """,
        cause: """
            Down the chain: the origin or packager has stopped; the encoder was changed or restarted without passing
            metadata on; the inserter has stopped or lost its audio; a long stretch without a watermark (a break, a slate,
            a sports event without commentary).
            """,
        action: """
            First look whether the stream itself runs. Then ask the inserter: if it makes tags, go down the chain with
            `dtvr check` to where they are lost; if it does not, look at its audio input. Where stretches without a
            watermark are usual on this channel, set the limit higher.
            """)
}
