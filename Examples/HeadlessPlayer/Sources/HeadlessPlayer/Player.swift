import PlayerSession

/// The playback state, and the session calls for its changes.
struct Player {
    let session: MeasurementSession
    /// The playhead of the current asset, in seconds.
    var playhead = 0.0
    /// The playhead of the content when an ad started.
    private var contentPlayhead = 0.0
    /// The seconds of the stream to skip next.
    private var skipped = 0.0
    private var isAdOn = false

    init(session: MeasurementSession) { self.session = session }

    /// Starts a channel.
    func play(_ channel: String) { session.play(["channelName": .text(channel)]) }

    /// Starts the content, or resumes it after an ad.
    mutating func content(_ id: String = "HARBOUR0205") {
        endAd()
        playhead = contentPlayhead
        session.loadMetadata([
            "type": "content", "assetid": .text(id), "program": "Harbour Lights", "title": "S2E5",
            "length": "3600", "airdate": "20260110 20:00:00", "isfullepisode": "y", "adloadtype": "1",
        ])
    }

    /// Starts an ad; a midroll interrupts the content.
    mutating func ad(_ type: String, _ id: String) {
        if type == "midroll" { interrupt() }
        contentPlayhead = playhead
        playhead = 0
        isAdOn = true
        session.loadMetadata(["type": .text(type), "assetid": .text(id)])
    }

    /// Resumes the content after an interruption.
    mutating func resume() {
        contentPlayhead = playhead
        content()
    }

    /// Seeks in the content: stops at the old position, and loads it again at the new one.
    mutating func seek(by seconds: Double) {
        interrupt()
        skipped = seconds
        playhead += seconds
        resume()
    }

    /// Returns the seconds of the stream to skip since the last call.
    mutating func takeSkipped() -> Double {
        defer { skipped = 0 }
        return skipped
    }

    /// Stops playback.
    func interrupt() { session.stop(playhead: playhead) }

    /// Ends the content.
    func end() { session.end(playhead: playhead) }

    /// Ends the ad or the content when the viewer leaves.
    mutating func finish() {
        if isAdOn { endAd() } else { end() }
    }

    private mutating func endAd() {
        if isAdOn { session.stop() }
        isAdOn = false
    }
}
