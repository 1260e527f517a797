/// `id3` and `tag`: one tag by itself, and how many there are.
extension CheckExplanation {
    static let id3Malformed = CheckExplanation(
        .id3Malformed, worst: .fail,
        title: "Bytes that claim to be an ID3 tag break its rules",
        meaning: """
            The tag begins `ID3` and then breaks ID3v2. Of a Nielsen tag that is a failure, because a player's ID3 reader
            may reject it; of another owner's it is a warning. Plain sizes where sync-safe ones belong are a warning:
            readers that follow the rule see other lengths.
            """,
        appearance: """
            The finding has the byte offset in the tag and the rule: a frame that reaches beyond its tag, a frame id
            that is no letters and digits, a size with a high bit set, flags that version 2.4.0 does not have.
            """,
        cause: """
            A tool that builds tags by hand: sizes above 127 written as plain integers are the classic mistake. Or damage
            on the way, in particular five bytes that are missing at the front, which FFmpeg 5.1 takes away when it
            remultiplexes timed ID3.
            """,
        action: """
            Compare the tag's bytes with those before the last hop. If they differ, that hop must pass the tag through
            unaltered. If they do not, the maker of the tag must mend its writer.
            """)

    static let tagHeader = CheckExplanation(
        .tagHeader, worst: .fail,
        title: "The first 20 bytes are not those of a Nielsen tag",
        meaning: """
            Every Nielsen tag begins with the same 20 bytes: ID3 header and PRIV frame header, with fixed versions, flags
            and sizes. This one differs, so it was written anew on the way. The tag must reach the player unaltered.
            """,
        appearance: """
            Right is `49 44 33 04 00 20 00 00 02 05 50 52 49 56 00 00 01 7b 00 00`. Often the flags byte is 00 in place
            of 20, the version 3 in place of 4, or the size larger than 261 because of padding or another frame.
            """,
        cause: """
            A packager that takes tags apart and writes them again with an ID3 library: it drops the experimental flag,
            changes the version, adds padding, or joins several tags into one.
            """,
        action: """
            Configure the step to pass ID3 through as bytes. A tag that was rebuilt cannot be made right downstream.
            """)

    static let tagTail = CheckExplanation(
        .tagTail, worst: .fail,
        title: "The tag does not end as a Nielsen tag",
        meaning: """
            A Nielsen tag has 271 bytes and ends in a zero byte and `A`. This one has another length or another end: it
            was cut, padded or joined with something.
            """,
        appearance: """
            The last two bytes are not `00 41`, or the length is not 271: with 270 the data byte is gone, with 266 five
            bytes are gone, and a tail of zeros is padding.
            """,
        cause: """
            Tools that take the PRIV frame for text and end it at the first zero byte; tools that pad to a fixed length; and
            remultiplexing by FFmpeg 5.1, which loses five bytes a tag.
            """,
        action: """
            Compare with the tag before the last hop, and have that hop pass the bytes through unaltered.
            """)

    static let tagFormat = CheckExplanation(
        .tagFormat, worst: .fail,
        title: "The owner identifier is not well-formed",
        meaning: """
            The 249 characters that a player reports to Nielsen are not of the form `www.nielsen.com/` CID `/` CID `/`
            blob `/` offset `/` offset `/` breakout. They cannot be processed: this tag counts for nothing.
            """,
        appearance: """
            The finding names the piece and the character, as in `FD CID, character 47`. Typical are `=` missing at
            the end of base64, `+` and `/` in place of `-` and `_`, and a text that ends early.
            """,
        cause: """
            A step that treats the identifier as a URL or as text: percent-encoding (`%3D`), JSON escapes (`\\u003d`),
            case folding, cutting at 128 or 255 characters, or re-encoding base64 with the other alphabet.
            """,
        action: """
            Find the step that handles the identifier as text and have it pass on bytes. `dtvr check --owners FILE` reads
            identifiers out of logs and says which of them were broken by the log alone.
            """)

    static let tagChecksum = CheckExplanation(
        .tagChecksum, worst: .fail,
        title: "The checksum of the tag's blob is wrong",
        meaning: """
            The blob states the sum of its own bytes, and that is another one: at least one byte was changed. The tag is
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
            Look which hop's output has the wrong sum first. Take test tools out of the production chain.
            """)

    static let tagBreakout = CheckExplanation(
        .tagBreakout, worst: .fail,
        title: "The breakout is not 00",
        meaning: """
            The last two digits of an owner identifier must be `00`. Another value is not defined for this kind of stream
            and the tag may be rejected.
            """,
        appearance: """
            The owner identifier ends in other digits than `/00`.
            """,
        cause: """
            An inserter that is configured for another product, or an owner identifier that a test tool made up.
            """,
        action: """
            Set the inserter's breakout code back to 00 and ask its maker why it was another one.
            """)

    static let tagCount = CheckExplanation(
        .tagCount, worst: .warn, clock: .stream,
        limits: [.countMinimumDuration, .countGrace, .countInterval],
        title: "There are fewer tags than the programme's length calls for",
        meaning: """
            A clean stream has a DATA tag every ten seconds. Here are fewer than one in twelve, after an allowance for
            the start: the stretches without one are not credited.
            """,
        appearance: """
            The finding has the number that was found and the least that the programme's length calls for. The stretches
            themselves are under `time.gap` and `sequence.step`.
            """,
        cause: """
            Stretches without a watermark (silence, advertisements, content that is not encoded) are lawful and are the
            most frequent reason. Where `sequence.step` is hit too, tags were lost on the way. Where it is not, the inserter
            made fewer: it hears the watermark badly after heavy audio compression or downmixing.
            """,
        action: """
            Look at `sequence.step` first: if it fails, look for the loss. If it passes, compare the stretches with the
            schedule, and then the audio before the inserter with that of the programme.
            """)
}
