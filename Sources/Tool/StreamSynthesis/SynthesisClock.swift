/// The stream's time in ticks of 90 kHz, and where pictures, audio frames and segments lie in it.
struct SynthesisClock {
    static let ticksPerSecond: Int64 = 90_000
    /// 25 pictures a second.
    static let pictureTicks: Int64 = 3600
    static let sampleRate = 48_000
    static let samplesPerAudioFrame = 1024
    /// 1024 samples at 48 kHz, which is a whole number of ticks.
    static let audioFrameTicks: Int64 = 1920

    let start: Int64
    let duration: Int64
    private let segmentTicks: Int64

    init(_ settings: SynthesisSettings) {
        start = Int64(settings.startPTS)
        duration = Self.ticks(settings.duration)
        segmentTicks = Self.ticks(settings.segmentDuration)
    }

    /// A count of seconds in ticks; `SynthesisSettings.validate` keeps it small.
    static func ticks(_ seconds: Double) -> Int64 { Int64((seconds * 90_000).rounded()) }

    var audioFrameCount: Int { Int((duration + Self.audioFrameTicks - 1) / Self.audioFrameTicks) }
    var segmentCount: Int { Int((duration + segmentTicks - 1) / segmentTicks) }

    /// Where segment `index` begins, in ticks from the start, if all its access units last `unitTicks`.
    ///
    /// The first unit that begins at or after the nominal place; the end of the last unit for the index after
    /// the last segment.
    func segmentStart(_ index: Int, unitTicks: Int64) -> Int64 {
        let nominal = index < segmentCount ? Int64(index) * segmentTicks : duration
        return (nominal + unitTicks - 1) / unitTicks * unitTicks
    }
}
