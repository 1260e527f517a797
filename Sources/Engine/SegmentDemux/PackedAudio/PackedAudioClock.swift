internal import TimedMedia

/// The time in a segment of packed audio: an Apple timestamp and the audio since (RFC 8216, section 3.4).
struct PackedAudioClock: Sendable {
    /// Ticks of 90 kHz of the audio before the frames of `sampleRate` began.
    private var ticksBefore: Int64 = 0
    private var sampleCount: Int64 = 0
    private var sampleRate: Int64 = 1
    private var first: Anchor?
    private var last: Anchor?

    private struct Anchor: Sendable {
        let pts: UInt64
        let elapsed: Int64

        /// 33 bits and the audio of a segment stay far within 64 bits; MediaTimestamp wraps the result.
        func time(atElapsed ticks: Int64) -> MediaTimestamp {
            MediaTimestamp(pts: UInt64(bitPattern: Int64(pts) + ticks - elapsed))
        }
    }

    init() {}

    /// How much audio there was, in ticks of 90 kHz, to the nearest.
    var elapsedTicks: Int64 { ticksBefore + (sampleCount * 90_000 + sampleRate / 2) / sampleRate }

    /// Adds a frame of audio.
    mutating func add(_ frame: AudioFrameHeader) {
        guard frame.sampleCount > 0 else { return }
        if Int64(frame.sampleRate) != sampleRate || sampleCount > 1 << 40 {
            ticksBefore = elapsedTicks
            sampleCount = 0
            sampleRate = Int64(frame.sampleRate)
        }
        sampleCount += Int64(frame.sampleCount)
    }

    /// Sets the time of where the audio is now, by a timestamp; a later one in the segment holds from there on.
    mutating func set(pts: UInt64) {
        let anchor = Anchor(pts: pts, elapsed: elapsedTicks)
        first = first ?? anchor
        last = anchor
    }

    /// The time now; nil before the first timestamp.
    var now: MediaTimestamp? { last?.time(atElapsed: elapsedTicks) }

    /// The time after so many ticks of audio, before or at the first timestamp.
    func earlierTime(atElapsed ticks: Int64) -> MediaTimestamp? { first?.time(atElapsed: ticks) }
}
