/// The timeline of a stream in ticks of 90 kHz, with the positions of pictures, audio frames and segments.
struct SynthesisClock {
    static let ticksPerSecond: Int64 = 90_000
    /// The duration of a picture at 25 pictures per second.
    static let pictureTicks: Int64 = 3600
    static let sampleRate = 48_000
    static let samplesPerAudioFrame = 1024
    /// The duration of 1024 samples at 48 kHz, a whole number of ticks.
    static let audioFrameTicks: Int64 = 1920

    let start: Int64
    let duration: Int64
    /// The nominal duration of a segment.
    let segmentTicks: Int64

    init(_ settings: SynthesisSettings) {
        start = Int64(settings.startPTS)
        duration = Self.ticks(settings.duration)
        segmentTicks = Self.ticks(settings.segmentDuration)
    }

    /// Converts seconds to ticks; `SynthesisSettings.validate` bounds the value.
    static func ticks(_ seconds: Double) -> Int64 { Int64((seconds * 90_000).rounded()) }

    var audioFrameCount: Int { Int((duration + Self.audioFrameTicks - 1) / Self.audioFrameTicks) }
    var segmentCount: Int { Int((duration + segmentTicks - 1) / segmentTicks) }

    /// Returns the start of segment `index` in ticks, if all its access units have the duration `unitTicks`.
    ///
    /// This is the start of the first access unit at or after the nominal position. For the index after the last
    /// segment, it is the end of the last unit.
    func segmentStart(_ index: Int, unitTicks: Int64) -> Int64 {
        let nominal = index < segmentCount ? Int64(index) * segmentTicks : duration
        return (nominal + unitTicks - 1) / unitTicks * unitTicks
    }
}
