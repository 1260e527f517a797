package import NielsenID3

extension CheckID {
    /// `carriage.owner-present`.
    package static let ownerPresent = CheckID("carriage.owner-present")
}

extension HealthLimit {
    /// `carriage.owner-present` is not run below this much media.
    public static let ownerMinimumDuration = HealthLimit(
        "limit-owner-minimum-duration", 30, "s",
        "carriage.owner-present is not run below this much media")
}

/// `carriage.owner-present`: a stream has Nielsen tags at all.
struct OwnerPresent: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .ownerPresent, worst: .fail, limits: [.ownerMinimumDuration], rowLimit: .ownerMinimumDuration,
        notRun: "Too little media was read to say that tags are missing.",
        expectation: "The stream carries Nielsen tags",
        title: "There is no Nielsen tag at all",
        meaning: """
            A stream long enough to have several has no tag whose owner is `www.nielsen.com/`. Nobody who watches
            this stream is counted.
            """,
        appearance: """
            `dtvr scan --all` lists no tag, or tags of other owners alone, such as
            `com.apple.streaming.transportStreamTimestamp`. Often the PMT has no stream of type 0x15 either.
            """,
        cause: """
            The tags got lost in a transcoder or packager. FFmpeg's automatic selection leaves out data streams: without
            `-map 0:d` (or `-map 0`) the ID3 stream is dropped without an error, and an MP4 output cannot hold it. Shaka
            Packager skips stream types that it does not read and says so in its log (`Ignore unsupported MPEG2TS
            stream type`). AWS Elemental MediaLive has a switch for every output (`nielsenId3Behavior`,
            `timedMetadataBehavior`). MP4 in the middle of the chain loses every type 0x15 stream unless the tool turns it
            into `emsg`. Or the inserter hears no watermark: wrong audio track, audio muted, or not encoded for Nielsen.
            """,
        action: """
            Run `dtvr check` on the output of every hop from the inserter on; the first without tags is the place.
            For FFmpeg add `-map 0:v -map 0:a -map 0:d -c:d copy`. For a managed encoder turn passing timed metadata
            on in each output. Where no hop has tags, look at the inserter and at its audio input.
            """)

    private(set) var hasTag = false

    /// Notes a Nielsen tag, broken or not.
    mutating func observe() { hasTag = true }

    /// Checks a stretch of `duration` seconds; nil where it is too short.
    func check(duration: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.ownerMinimumDuration] else { return .notRun }
        if hasTag { return .pass }
        return .violation(
            .fail,
            "no Nielsen tag in \(SecondsText(duration)) of media: the inserter is off, or a packager takes the "
                + "tags out")
    }
}
