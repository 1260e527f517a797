package import NielsenID3

extension CheckID {
    /// `tag.checksum`.
    package static let tagChecksum = CheckID("tag.checksum")
}

/// `tag.checksum`: the sum that the EDU blob states is the sum of its bytes.
enum TagChecksum: TagCheck {
    static let declaration = CheckDeclaration(
        .tagChecksum, worst: .fail,
        notRun: "No Nielsen tag was read whose EDU blob can be decoded.",
        expectation: "The sum that the tag states is the sum of its bytes",
        title: "The checksum of the tag's blob is wrong",
        meaning: """
            The blob holds the sum of its own bytes, and the sum differs: at least one byte was changed. The tag is
            well-formed and worthless.
            """,
        appearance: """
            The finding has the stated sum and the computed one. A difference of a few, the same in every tag, hints at
            a writer that counts wrongly; differences without a pattern at damage.
            """,
        cause: """
            Bytes changed in storage or transport without protection, letters changed in case, a test tool that edits
            times or sequence numbers and leaves the sum as it was.
            """,
        action: """
            Find the first hop whose output has the wrong sum. Take test tools out of the production chain.
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
