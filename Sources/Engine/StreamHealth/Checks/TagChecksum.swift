import NielsenID3

/// `tag.checksum`: the checksum in the EDU blob matches its bytes.
enum TagChecksum: TagCheck {
    static let declaration = CheckDeclaration(
        .tagChecksum, worst: .fail,
        notRun: "No Nielsen tag with a decodable EDU blob was read.",
        expectation: "The checksum in the tag matches its bytes",
        title: "The checksum of the tag's blob is wrong",
        meaning: """
            The blob contains a checksum of its bytes, which does not match: at least one byte was changed. The tag is
            well-formed but worthless.
            """,
        appearance: """
            The finding has the stored and the computed checksum. A small difference, the same in every tag, suggests a
            writer that computes it incorrectly; differences without a pattern suggest damage.
            """,
        cause: """
            Bytes changed in storage or in unprotected transport, changed letter case, or a test tool that edits times
            or sequence numbers without updating the checksum.
            """,
        action: """
            Find the first hop whose output has the wrong checksum. Remove test tools from the production chain.
            """)

    static let rule = TagRule.checksum

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        "stored \(hex(tag.tag.storedChecksum)), computed \(hex(tag.tag.computedChecksum))"
    }

    private static func hex(_ number: UInt16?) -> String {
        number.map { "0x" + String(0x1_0000 + UInt32($0), radix: 16).dropFirst() } ?? "unknown"
    }
}
