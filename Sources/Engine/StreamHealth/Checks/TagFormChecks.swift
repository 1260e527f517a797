import NielsenID3

/// `tag.header`: the first 20 bytes are those of a Nielsen tag.
struct TagHeader: HealthCheck {
    static let declaration = CheckDeclaration(
        .tagHeader, on: [.tag], worst: .fail,
        notRun: "No complete Nielsen tag was read.",
        expectation: "A Nielsen tag begins with its fixed 20 bytes",
        urgency: "now if every tag has it",
        title: "The first 20 bytes are not those of a Nielsen tag",
        meaning: """
            Every Nielsen tag begins with the same 20 bytes: the ID3 header and the PRIV frame header, with fixed
            versions, flags and sizes. This one differs, so it was rewritten in transit. The tag must reach the player
            unaltered.
            """,
        appearance: """
            Correct is `49 44 33 04 00 20 00 00 02 05 50 52 49 56 00 00 01 7b 00 00`. Often the flags byte is 00 instead
            of 20, the version is 3 instead of 4, or the size is larger than 261 because of padding or another frame.
            """,
        cause: """
            A packager that parses tags and rewrites them with an ID3 library: it drops the experimental flag, changes
            the version, adds padding, or joins several tags into one.
            """,
        action: """
            Configure the step to pass ID3 through as bytes. A rewritten tag cannot be repaired downstream.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(
            .header, of: tag, because: TagFormat.causeOfShift(in: tag.occurrence),
            "the first 20 bytes are not 49443304002000000205505249560000017B0000, as in every Nielsen tag: "
                + "the tag was rewritten in transit")
    }
}

/// `tag.tail`: the tag has 271 bytes and ends in a zero byte and `A`.
struct TagTail: HealthCheck {
    static let declaration = CheckDeclaration(
        .tagTail, on: [.tag], worst: .fail,
        notRun: "No complete Nielsen tag was read.",
        expectation: "A Nielsen tag has 271 bytes and ends in NUL and A",
        urgency: "now if every tag has it",
        title: "The tag does not end like a Nielsen tag",
        meaning: """
            A Nielsen tag has 271 bytes and ends in a zero byte and `A`. This one has another length or another end: it
            was truncated, padded or joined with other data.
            """,
        appearance: """
            The last two bytes are not `00 41`, or the length is not 271: with 270 bytes the data byte is missing, with
            266 five bytes are missing, and trailing zeros are padding.
            """,
        cause: """
            A tool that treats the PRIV frame as text and ends it at the first zero byte; a tool that pads to a fixed
            length; or remultiplexing with FFmpeg 5.1, which drops five bytes of each tag.
            """,
        action: """
            Compare with the tag before the last hop, and configure that hop to pass the bytes through unaltered.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(
            .tail, of: tag, because: TagFormat.causeOfShift(in: tag.occurrence),
            "the tag does not have 271 bytes that end in a zero byte and \"A\"")
    }
}

/// `tag.format`: the owner identifier has seven parts of the required lengths and alphabets.
struct TagFormat: HealthCheck {
    static let declaration = CheckDeclaration(
        .tagFormat, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No complete Nielsen tag was read.",
        expectation: "The owner identifier has the published format",
        urgency: "now if every tag has it",
        title: "The owner identifier is not well-formed",
        meaning: """
            The 249 characters that a player reports to Nielsen do not have the form `www.nielsen.com/` CID `/` CID `/`
            blob `/` offset `/` offset `/` breakout. They cannot be processed: this tag is not counted.
            """,
        appearance: """
            The finding names the part and the character, as in `FD CID, character 47`. Typical are `=` missing at the
            end of base64, `+` and `/` instead of `-` and `_`, and a truncated text.
            """,
        cause: """
            A step that treats the identifier as a URL or as text: percent-encoding (`%3D`), JSON escapes (`\\u003d`),
            case folding, truncation at 128 or 255 characters, or re-encoding base64 with the other alphabet.
            """,
        action: """
            Find the step that handles the identifier as text and configure it to pass bytes through. `dtvr check
            --owners FILE` reads identifiers from logs and reports which of them only the log damaged.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(
            .format, of: tag, because: Self.cause(of: tag.occurrence),
            Self.detail(of: tag.occurrence.tag))
    }

    private static func detail(of tag: NielsenTag) -> String {
        guard let defect = tag.formatDefect else { return "the owner identifier is invalid" }
        return "the owner identifier is invalid at \(defect) (counted from 0): \(expected(defect.piece)); "
            + "the tag cannot be counted"
    }

    private static func cause(of tag: TagOccurrence) -> CheckID? {
        if tag.problems.contains(.id3Malformed) { return .id3Malformed }
        return runsIntoTail(tag) ? .tagTail : nil
    }

    /// Returns the cause of wrong header sizes and a wrong tail: a malformed tag, or an owner identifier of another
    /// length.
    fileprivate static func causeOfShift(in tag: TagOccurrence) -> CheckID? {
        if tag.problems.contains(.id3Malformed) { return .id3Malformed }
        guard tag.problems.contains(.tagFormat), !runsIntoTail(tag) else { return nil }
        return tag.tag.ownerIdentifier.count == 249 ? nil : .tagFormat
    }

    /// Whether the owner identifier continues into the place of the final zero.
    private static func runsIntoTail(_ tag: TagOccurrence) -> Bool {
        tag.tag.formatDefect?.piece == .end && tag.problems.contains(.tagTail)
    }

    private static func expected(_ piece: FormatDefect.Piece) -> String {
        switch piece {
        case .domain: "www.nielsen.com and a slash are expected"
        case .pcCID, .fdCID: "22 characters of URL-safe base64, == and a slash are expected"
        case .blob: "167 characters of URL-safe base64, = and a slash are expected"
        case .pcOffset, .fdOffset: "five digits and a slash are expected"
        case .breakout: "two digits are expected"
        case .end: "nothing may follow the breakout"
        }
    }
}

/// `tag.checksum`: the checksum in the EDU blob matches its bytes.
struct TagChecksum: HealthCheck {
    static let declaration = CheckDeclaration(
        .tagChecksum, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No Nielsen tag with a decodable EDU blob was read.",
        expectation: "The checksum in the tag matches its bytes",
        urgency: "now if every tag has it",
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

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let placed) = event else { return }
        let tag = placed.occurrence.tag
        ledger.report(
            .checksum, of: placed,
            "stored \(Self.hex(tag.storedChecksum)), computed \(Self.hex(tag.computedChecksum))")
    }

    private static func hex(_ number: UInt16?) -> String {
        number.map { "0x" + String(0x1_0000 + UInt32($0), radix: 16).dropFirst() } ?? "unknown"
    }
}

/// `tag.breakout`: the breakout is 00.
struct TagBreakout: HealthCheck {
    static let declaration = CheckDeclaration(
        .tagBreakout, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No Nielsen tag with a readable breakout was read.",
        expectation: "The breakout is 00",
        title: "The breakout is not 00",
        meaning: """
            The last two digits of an owner identifier must be `00`. Other values are not defined for this kind of
            stream, and the tag may be rejected.
            """,
        appearance: """
            The owner identifier does not end in `/00`.
            """,
        cause: """
            An inserter that is configured for another product, or an owner identifier from a test tool.
            """,
        action: """
            Set the inserter's breakout code back to 00 and ask its vendor why it was changed.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        let breakout = tag.occurrence.tag.breakout ?? 0
        ledger.report(.breakout, of: tag, "the breakout is \(breakout < 10 ? "0" : "")\(breakout), not 00")
    }
}
