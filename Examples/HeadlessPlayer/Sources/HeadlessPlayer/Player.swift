import PlayerSession

/// What is played now, and the calls that say so.
struct Player {
    let session: MeasurementSession
    /// Where the asset that is on stands, in seconds.
    var playhead = 0.0
    /// Where the content was left for an advertisement.
    private var contentPlayhead = 0.0
    private var isAdOn = false

    init(session: MeasurementSession) { self.session = session }

    /// Begins with a channel.
    func play(_ channel: String) { session.play(["channelName": .text(channel)]) }

    /// The content begins, or goes on where it was left.
    mutating func content(_ id: String = "HARBOUR0205") {
        endAd()
        playhead = contentPlayhead
        session.loadMetadata([
            "type": "content", "assetid": .text(id), "program": "Harbour Lights", "title": "S2E5",
            "length": "3600", "airdate": "20260110 20:00:00", "isfullepisode": "y", "adloadtype": "1",
        ])
    }

    /// An advertisement begins; the content is interrupted, where it had begun and is not over.
    mutating func ad(_ type: String, _ id: String) {
        if type == "midroll" { interrupt() }
        contentPlayhead = playhead
        playhead = 0
        isAdOn = true
        session.loadMetadata(["type": .text(type), "assetid": .text(id)])
    }

    /// The content goes on where it was interrupted.
    mutating func resume() {
        contentPlayhead = playhead
        content()
    }

    /// Playback stands still.
    func interrupt() { session.stop() }

    /// The content is over.
    func end() { session.end(playhead: playhead) }

    /// The viewer is gone.
    mutating func finish() {
        if isAdOn { endAd() } else { end() }
    }

    private mutating func endAd() {
        if isAdOn { session.stop() }
        isAdOn = false
    }
}
