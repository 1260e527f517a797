import NielsenID3
import PlayerSession
import TextForms

/// The situations that a log exercises, for the summary of a run.
struct ExerciseSummary: Sendable, Hashable {
    /// A situation.
    enum Situation: String, Sendable, CaseIterable {
        case tags, playheads, ads, pause
        case longPause = "long_pause"
        case seek, background
        case channelChange = "channel_change"
        case optOut = "opt_out"
        case live, end

        /// The situation in the summary.
        var text: String {
            switch self {
            case .tags: "tags"
            case .playheads: "playheads"
            case .ads: "an advertisement"
            case .pause: "a pause"
            case .longPause: "a pause of 30 s"
            case .seek: "a seek of 30 s"
            case .background: "the background"
            case .channelChange: "a change of channel"
            case .optOut: "the user's choice"
            case .live: "a live stream"
            case .end: "the end of the content"
            }
        }
    }

    private(set) var situations: Set<Situation> = []
    private(set) var tagCount = 0

    mutating func add(_ call: EvaluatedCall) {
        if call.name == .userOptOut || call.name == .appDisableApi { situations.insert(.optOut) }
    }

    mutating func add(_ event: PlayerEvent, _ player: PlayerTimeline) {
        switch event {
        case .tag:
            situations.insert(.tags)
            tagCount += 1
        case .playhead(let seconds):
            situations.insert(.playheads)
            if let jump = player.jump(to: seconds), abs(jump) > 30 { situations.insert(.seek) }
        case .load(let metadata):
            if PlayerTimeline.type(of: metadata)?.isAd == true { situations.insert(.ads) }
            if PlayerTimeline.isLive(metadata) { situations.insert(.live) }
            if let channel = metadata.text("channelname"), let old = player.channel, channel != old {
                situations.insert(.channelChange)
            }
        case .play(let information):
            if let channel = information.text("channelname"), let old = player.channel, channel != old {
                situations.insert(.channelChange)
            }
        case .pause: situations.insert(.pause)
        case .background: situations.insert(.background)
        case .end: situations.insert(.end)
        case .choose: situations.insert(.optOut)
        default: break
        }
        if player.phase == .paused || player.phase == .stopped, player.time - player.phaseStart >= 30 {
            situations.insert(.longPause)
        }
    }

    /// The situations in the order of the summary.
    var exercised: [Situation] { Situation.allCases.filter(situations.contains) }

    /// The situations that the log does not have.
    var missing: [Situation] { Situation.allCases.filter { !situations.contains($0) } }
}

extension PlayerTimeline {
    /// Returns the distance in seconds from the position of continued playback; nil for the first of an asset.
    func jump(to seconds: Double?) -> Double? {
        guard let position, let seconds, let last = position.seconds else { return nil }
        let elapsed = phase == .playing ? time - max(position.at, phaseStart) : 0
        return seconds - last - elapsed
    }
}
