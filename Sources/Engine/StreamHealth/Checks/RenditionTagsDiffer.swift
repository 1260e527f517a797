package import NielsenID3

extension CheckID {
    /// `rendition.tags-differ`.
    package static let renditionTagsDiffer = CheckID("rendition.tags-differ")
}

/// `rendition.tags-differ`: the rule is `RenditionComparison`'s, which holds the tags of all renditions.
enum RenditionTagsDiffer: HealthCheck {
    static let declaration = CheckDeclaration(
        .renditionTagsDiffer, worst: .fail,
        notRun: "There is only one rendition.",
        expectation: "All renditions carry the same tags",
        title: "Renditions do not carry the same tags",
        meaning: """
            A tag (the same sequence and blob) is in one rendition and not in another, at a time that both cover. A viewer
            whose player has switched to the other is not counted, or only partly, depending on the network. A variant
            without audio of its own counts together with its audio group.
            """,
        appearance: """
            `dtvr scan --rendition` of the two gives different lists. Either one rendition lacks all of them (it
            was packaged without), or some at segment edges, or each has tags of another inserter with other numbers.
            """,
        cause: """
            Passing metadata through is set for each output separately in most encoders (in AWS Elemental MediaLive for
            one), and was forgotten in one. With FFmpeg every output needs its own `-map 0:d`. Encoders in parallel, each
            with an inserter of its own, give tags with different numbers.
            """,
        action: """
            Turn passing on for the rendition that the finding names. Insert tags once, in front of the split into
            renditions, not in each of them.
            """)
}
