package import NielsenID3

extension CheckID {
    /// `tag.checksum`.
    package static let tagChecksum = CheckID("tag.checksum")
}

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

    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard !tag.isTruncated, let stored = tag.tag.storedChecksum, let computed = tag.tag.computedChecksum
        else {
            return .notRun
        }
        guard stored != computed else { return .pass }
        return .violation(.fail, "stored \(hex(stored)), computed \(hex(computed))")
    }

    private static func hex(_ number: UInt16) -> String {
        "0x" + String(0x1_0000 + UInt32(number), radix: 16).dropFirst()
    }
}
