package import NielsenID3

extension CheckID {
    /// `rendition.time-differs`.
    package static let renditionTimeDiffers = CheckID("rendition.time-differs")
}

extension HealthLimit {
    /// `rendition.time-differs`: the same tag in another rendition.
    public static let renditionTime = HealthLimit(
        "limit-rendition-time", 0.5, "s",
        "rendition.time-differs: the same tag in another rendition")
}

/// `rendition.time-differs`: the rule is `RenditionComparison`'s, which holds the tags of all renditions.
enum RenditionTimeDiffers: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTimeDiffers, worst: .fail, clock: .stream, limits: [.renditionTime],
        rowLimit: .renditionTime,
        notRun: "There is only one rendition.",
        expectation: "A tag lies at the same time in all renditions",
        title: "The same tag is at another time in another rendition",
        meaning: """
            Renditions of one presentation share a timeline: the same moment has the same timestamp in all of them. A tag
            that lies elsewhere in one is delivered at the wrong moment there, twice or not at all when the player
            switches. Between two sources a constant distance is information.
            """,
        appearance: """
            The same `sequence` with different `seconds`. If all tags of a rendition are off by the same amount, its audio and video
            usually are too; if only single tags are, the packager moved them.
            """,
        cause: """
            Renditions that were encoded by processes started one after the other, each beginning its timestamps at its
            own start; one of them restarted; audio and video packaged with different start offsets. Single tags move where a
            packager puts a tag to the start of its segment, and the segments of audio and video do not begin at the same times.
            """,
        action: """
            Encode all renditions in one process, or have all take the timestamps of the input (FFmpeg: `-copyts`). If
            only the tags are off, let the packager keep their own times instead of the segment's.
            """)
}
