/// The limits that checks judge by, one a number; the raw value is the key in a configuration file.
package enum HealthLimit: String, Sendable, Hashable, CaseIterable {
    case findings = "limit-findings"
    case ownerMinimumDuration = "limit-owner-minimum-duration"
    case countMinimumDuration = "limit-count-minimum-duration"
    case countGrace = "limit-count-grace"
    case countInterval = "limit-count-interval"
    case repeatAge = "limit-repeat-age"
    case infoDelay = "limit-info-delay"
    case gap = "limit-gap"
    case overlap = "limit-overlap"
    case longestTag = "limit-longest-tag"
    case shortestTag = "limit-shortest-tag"
    case rateDrift = "limit-rate-drift"
    case rateTags = "limit-rate-tags"
    case rateWindow = "limit-rate-window"
    case audioSync = "limit-audio-sync"
    case wallClock = "limit-wall-clock"
    case infoInterval = "limit-info-interval"
    case infoMinimumDuration = "limit-info-minimum-duration"
    case nullRun = "limit-null-run"
    case offsetWarn = "limit-offset-warn"
    case offsetFail = "limit-offset-fail"
    case renditionTime = "limit-rendition-time"
    case silence = "limit-silence"
}

extension HealthLimit {
    /// What the limit is unless it is set.
    package var defaultValue: Double { description.value }

    /// What the limit counts: `s` for seconds, `tags`, `places` or `findings`.
    package var unit: String { description.unit }

    /// What the limit is for, in one line.
    package var summary: String { description.summary }

    private var description: (value: Double, unit: String, summary: String) {
        switch self {
        case .findings: (50, "findings", "how many findings of a check a report keeps")
        case .ownerMinimumDuration: (30, "s", "carriage.owner-present is not run below this much programme")
        case .countMinimumDuration: (60, "s", "tag.count is not run below this much programme")
        case .countGrace: (20, "s", "tag.count: programme that needs no tag")
        case .countInterval: (12, "s", "tag.count: programme that needs one DATA tag")
        case .repeatAge: (60, "s", "the same bytes up to this much later are a repeat")
        case .infoDelay: (3, "places", "sequence.step: how many places late an INFO tag may come")
        case .gap: (9, "s", "time.gap: from the last time of one DATA tag to the first of the next")
        case .overlap: (9, "s", "time.overlap: how far a DATA tag may begin before the last one's end")
        case .longestTag: (12, "s", "time.duration: what a DATA tag spans at most")
        case .shortestTag: (4, "s", "time.duration: what a DATA tag with a block unused spans at least")
        case .rateDrift: (2, "s", "time.rate: how far stream and tag clock may drift apart")
        case .rateTags: (4, "tags", "time.rate: the DATA tags that show a drift")
        case .rateWindow: (60, "s", "time.rate: within this time")
        case .audioSync: (15, "s", "time.audio-sync: how far a tag may lie from the audio")
        case .wallClock: (300, "s", "time.wall-clock: how far a tag's last time may lie from the programme's")
        case .infoInterval: (310, "s", "info.late: from one INFO tag to the next")
        case .infoMinimumDuration: (360, "s", "info.late is not run below this much programme")
        case .nullRun: (3, "tags", "cid.null-run: how many DATA tags a CID may be null for")
        case .offsetWarn: (10, "s", "cid.offset-advance: from here on a warning")
        case .offsetFail: (15, "s", "cid.offset-advance: from here on a failure")
        case .renditionTime: (0.5, "s", "rendition.time-differs: the same tag in another rendition")
        case .silence: (30, "s", "presence.silent: live, no DATA tag for this long")
        }
    }
}
