/// `rendition`: the renditions of one programme, side by side.
extension CheckExplanation {
    static let renditionTagsDiffer = CheckExplanation(
        .renditionTagsDiffer, worst: .fail,
        title: "Renditions do not carry the same tags",
        meaning: """
            A tag (the same sequence and blob) is in one rendition and not in another, at a time that both cover. A viewer
            whose player has switched to the other is not counted, or is in part, and that depends on the network. A variant
            without audio of its own counts together with its audio group.
            """,
        appearance: """
            `dtvr scan --rendition` of the two gives different lists. Either one rendition lacks all of them (it
            was packaged without), or some at segment edges, or each has tags of another inserter with other numbers.
            """,
        cause: """
            Passing metadata through is set for each output by itself in most encoders (in AWS Elemental MediaLive for
            one), and was forgotten in one. With FFmpeg every output needs its own `-map 0:d`. Encoders in parallel, each
            with an inserter of its own, give tags of different numbers.
            """,
        action: """
            Turn passing on for the rendition that the finding names. Insert tags once, in front of the split into
            renditions, not in each of them.
            """)

    static let renditionTimeDiffers = CheckExplanation(
        .renditionTimeDiffers, worst: .fail, clock: .stream, limits: [.renditionTime],
        title: "The same tag is at another time in another rendition",
        meaning: """
            Renditions of one programme share a timeline: the same moment has the same timestamp in all of them. A tag
            that lies elsewhere in one is handed over at the wrong moment there, twice or not at all when the player
            switches. Between two sources a distance that never changes is information.
            """,
        appearance: """
            The same `sequence` with different `seconds`. If all tags of a rendition are off by the same, so are mostly its
            audio and video; if single ones are, the packager moved them.
            """,
        cause: """
            Renditions that were encoded by processes started one after the other, each beginning its timestamps at its
            own start; one of them restarted; audio and video packaged with different start offsets. Single tags move where a
            packager puts a tag to the start of its segment, and the segments of audio and video are not cut alike.
            """,
        action: """
            Encode all renditions in one process, or have all take the timestamps of the input (FFmpeg: `-copyts`). If
            only the tags are off, let the packager keep their times in place of the segment's.
            """)
}
