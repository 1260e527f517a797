internal import ID3v2

/// The current time in a segment of packed audio: an Apple timestamp plus the audio since (RFC 8216, section 3.4).
struct PackedAudioClock: Sendable {
    /// The duration of the audio before the frames with `sampleRate`, in ticks of 90 kHz.
    private var ticksBefore: Int64 = 0
    private var sampleCount: Int64 = 0
    private var sampleRate: Int64 = 1
    private var first: Anchor?
    private var last: Anchor?

    private struct Anchor: Sendable {
        let pts: UInt64
        let elapsed: Int64

        /// Cannot overflow 64 bits with a 33-bit PTS and the audio of one segment; MediaTimestamp wraps the result.
        func time(atElapsed ticks: Int64) -> MediaTimestamp {
            MediaTimestamp(pts: UInt64(bitPattern: Int64(pts) + ticks - elapsed))
        }
    }

    init() {}

    /// The duration of the audio so far, in ticks of 90 kHz, rounded to the nearest.
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

    /// Sets the time of the current position; each timestamp applies to the audio that follows it.
    mutating func set(pts: UInt64) {
        let anchor = Anchor(pts: pts, elapsed: elapsedTicks)
        first = first ?? anchor
        last = anchor
    }

    /// The current time, or nil before the first timestamp.
    var now: MediaTimestamp? { last?.time(atElapsed: elapsedTicks) }

    /// Returns the time at `ticks` of audio, at or before the first timestamp.
    func earlierTime(atElapsed ticks: Int64) -> MediaTimestamp? { first?.time(atElapsed: ticks) }
}
