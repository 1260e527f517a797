package import NielsenID3

extension CheckID {
    /// `rendition.time-differs`.
    package static let renditionTimeDiffers = CheckID("rendition.time-differs")
}

extension HealthLimit {
    /// `rendition.time-differs`: the maximum distance between the times of a tag in two renditions.
    public static let renditionTime = HealthLimit(
        "limit-rendition-time", 0.5, "s",
        "rendition.time-differs: maximum difference between the times of a tag in two renditions")
}

/// `rendition.time-differs`: a tag has the same time in all renditions.
///
/// `RenditionComparison` has the tags of all renditions and applies the rule.
enum RenditionTimeDiffers: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTimeDiffers, worst: .fail, clock: .stream, limits: [.renditionTime],
        rowLimit: .renditionTime,
        notRun: "There is only one rendition.",
        expectation: "A tag has the same time in all renditions",
        title: "A tag has different times in different renditions",
        meaning: """
            Renditions of one presentation share a timeline: the same moment has the same timestamp in all of them. A
            tag with a different time in one rendition is delivered at the wrong moment there, and twice or not at all
            when the player switches. Between two sources, a constant distance is information.
            """,
        appearance: """
            The same `sequence` with different `seconds`. If all tags of a rendition are off by the same amount, its
            audio and video usually are too. If only some tags are off, the packager moved them.
            """,
        cause: """
            Renditions that are encoded by processes started one after another, whose timestamps begin at their own
            start; one of them restarted; or audio and video packaged with different start offsets. Some tags move if a
            packager places tags at the start of their segment and the segments of audio and video begin at different
            times.
            """,
        action: """
            Encode all renditions in one process, or let all of them use the timestamps of the input (FFmpeg:
            `-copyts`). If only the tags are off, configure the packager to keep the tags' own times instead of the
            segment's.
            """)
}
