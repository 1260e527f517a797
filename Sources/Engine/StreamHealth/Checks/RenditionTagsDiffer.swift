package import NielsenID3

extension CheckID {
    /// `rendition.tags-differ`.
    package static let renditionTagsDiffer = CheckID("rendition.tags-differ")
}

/// `rendition.tags-differ`: all renditions carry the same tags.
///
/// `RenditionComparison` has the tags of all renditions and applies the rule.
enum RenditionTagsDiffer: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTagsDiffer, worst: .fail,
        notRun: "There is only one rendition.",
        expectation: "All renditions carry the same tags",
        title: "Renditions do not carry the same tags",
        meaning: """
            A tag (the same sequence and blob) is in one rendition but not in another, at a time that both cover. A
            viewer whose player has switched to the other rendition is not counted, or only partly, depending on the
            network. A variant without its own audio counts together with its audio group.
            """,
        appearance: """
            `dtvr scan --rendition` gives different lists for the two. One rendition lacks all tags (it was packaged
            without them), or some at segment edges, or each has tags of a different inserter with different numbers.
            """,
        cause: """
            In most encoders, metadata passthrough is a setting of each output (in AWS Elemental MediaLive, for
            example), and one output lacks it. With FFmpeg, every output needs its own `-map 0:d`. Parallel encoders,
            each with its own inserter, give tags with different numbers.
            """,
        action: """
            Enable passthrough for the rendition that the finding names. Insert tags once, before the split into
            renditions, not in each rendition.
            """)
}
