package import NielsenID3

extension CheckID {
    /// `carriage.owner-present`.
    package static let ownerPresent = CheckID("carriage.owner-present")
}

extension HealthLimit {
    /// `carriage.owner-present`: the shortest media on which the check runs.
    public static let ownerMinimumDuration = HealthLimit(
        "limit-owner-minimum-duration", 30, "s",
        "carriage.owner-present: shortest media on which the check runs")
}

/// `carriage.owner-present`: a stream has at least one Nielsen tag.
struct OwnerPresent: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .ownerPresent, worst: .fail, limits: [.ownerMinimumDuration], rowLimit: .ownerMinimumDuration,
        notRun: "Too little media was read to conclude that tags are missing.",
        expectation: "The stream carries Nielsen tags",
        title: "The stream has no Nielsen tags",
        meaning: """
            The stream is long enough for several tags but has none whose owner is `www.nielsen.com/`. Its viewers are
            not counted.
            """,
        appearance: """
            `dtvr scan --all` lists no tags, or only tags of other owners such as
            `com.apple.streaming.transportStreamTimestamp`. Often the PMT has no stream of type 0x15 either.
            """,
        cause: """
            A transcoder or packager dropped the tags. FFmpeg's automatic stream selection skips data streams: without
            `-map 0:d` (or `-map 0`) it drops the ID3 stream without an error, and an MP4 output cannot hold it. Shaka
            Packager skips unknown stream types and logs it (`Ignore unsupported MPEG2TS stream type`). AWS Elemental
            MediaLive has a setting for each output (`nielsenId3Behavior`, `timedMetadataBehavior`). An MP4 step in the
            chain loses every stream of type 0x15 unless the tool converts it to `emsg`. Or the inserter hears no
            watermark: wrong audio track, muted audio, or audio that is not encoded for Nielsen.
            """,
        action: """
            Run `dtvr check` on the output of every hop, starting at the inserter: the first output without tags shows
            the cause. For FFmpeg, add `-map 0:v -map 0:a -map 0:d -c:d copy`. For a managed encoder, enable timed
            metadata passthrough on each output. If no hop has tags, check the inserter and its audio input.
            """,
        alerting: .init(.never, judgesPresence: true))

    private(set) var hasTag = false
    /// Seconds of live media without any tag that had to have one.
    private var untagged = 0.0

    /// Records that a Nielsen tag arrived, even if it is broken.
    mutating func observe() { hasTag = true }

    /// Checks `duration` seconds of media; not run if that is too short.
    func check(duration: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.ownerMinimumDuration] else { return .notRun }
        if hasTag { return .pass }
        return .violation(
            .fail,
            "no Nielsen tag in \(SecondsText(duration)) of media: the inserter is off, or a packager removes "
                + "the tags")
    }

    /// Checks live media up to the end of a segment of `length` seconds; once there was a tag, it passes.
    mutating func check(after length: Double, policy: HealthPolicy) -> CheckResult {
        if hasTag { return .pass }
        untagged += length
        return check(duration: untagged, policy: policy)
    }

    /// Excludes the live media so far, in which no tag was expected.
    mutating func restart() { untagged = 0 }
}
