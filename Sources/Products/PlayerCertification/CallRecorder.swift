import PlayerSession
import Reporting

/// Collects the calls of a session for the plots of a page.
struct CallRecorder: Sendable {
    private var track: CallTrack
    /// The start and the title of the advertisement that plays; nil without one.
    private var advertisement: (start: Double, title: String)?
    /// The start and the title of the interruption that lasts; nil without one.
    private var interruption: (start: Double, title: String)?

    init(instance: String) { track = CallTrack(instance: instance) }

    /// Records a call that is neither a playhead nor a tag.
    mutating func record(_ call: EvaluatedCall, _ player: PlayerTimeline) {
        guard case .call(let name, _) = call.line.content else { return }
        switch call.name {
        case .playheadPosition, .setPlayheadPosition, .sendID3, .trackEvent: break
        default: track.addCall(name, at: player.time)
        }
    }

    /// Records an event, before the player's state follows it.
    mutating func record(_ event: PlayerEvent, _ player: PlayerTimeline) {
        let time = player.time
        switch event {
        case .playhead(let seconds):
            if let seconds { track.addPlayhead(seconds, at: time) }
            resume(at: time)
        case .tag: track.addTag(at: time)
        case .load(let metadata):
            endAdvertisement(at: time)
            resume(at: time)
            if PlayerTimeline.type(of: metadata)?.isAd == true {
                advertisement = (time, metadata.text("assetid") ?? metadata.text("type") ?? "advertisement")
            }
        case .play: resume(at: time)
        case .pause: interrupt(at: time, "pause")
        case .stop:
            endAdvertisement(at: time)
            interrupt(at: time, "stop")
        case .background:
            resume(at: time)
            interrupt(at: time, "background")
        case .foreground: resume(at: time)
        case .end, .free:
            endAdvertisement(at: time)
            resume(at: time)
        case .initialize, .loadWithheld, .update, .choose: break
        }
    }

    private mutating func interrupt(at time: Double, _ title: String) {
        if interruption == nil { interruption = (time, title) }
    }

    private mutating func resume(at time: Double) {
        // `stop` is not an interruption if the next asset is loaded at the same time.
        if let interruption, time > interruption.start {
            track.addInterruption(
                CallTrack.Span(start: interruption.start, end: time, title: interruption.title))
        }
        interruption = nil
    }

    private mutating func endAdvertisement(at time: Double) {
        if let advertisement {
            track.addAdvertisement(
                CallTrack.Span(start: advertisement.start, end: time, title: advertisement.title))
        }
        advertisement = nil
    }

    /// Returns the track; spans that last end with the last call.
    func finish() -> CallTrack {
        var ended = self
        ended.endAdvertisement(at: track.end)
        ended.resume(at: track.end)
        return ended.track
    }
}
