import Glibc

/// The audio of the test stream: a soft tone with slowly varying volume, and a beep whenever a tag closes.
struct TestTone {
    private let tone: [Float]
    private let beep: [Float]
    private let beepPeriod: Int

    init(tagInterval: Int) {
        // The tables hold whole periods, so that they can be repeated: 300 Hz and 1000 Hz at 48 kHz.
        tone = Self.wave(period: 160)
        beep = Self.wave(period: 48)
        beepPeriod = tagInterval * SynthesisClock.sampleRate
    }

    /// Returns the sample at `index` from the start of the stream, -1 to 1.
    func sample(_ index: Int) -> Float {
        // A triangle wave of four seconds, between 5 % and 10 % of full scale.
        let place = index % 192_000
        let swell = Float(abs(place - 96_000)) / 96_000
        var value = tone[index % tone.count] * (0.05 + 0.05 * swell)
        let sinceTag = index % beepPeriod
        if index >= beepPeriod, sinceTag < 9600 { value += beep[sinceTag % beep.count] * 0.2 }
        return value
    }

    private static func wave(period: Int) -> [Float] {
        (0..<period).map { Float(sin(2 * Double.pi * Double($0) / Double(period))) }
    }
}
