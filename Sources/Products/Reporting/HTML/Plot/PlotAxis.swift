import TextForms

/// The range of an axis and its ticks at round values.
struct PlotAxis {
    let lower: Double
    let upper: Double
    let ticks: [Double]
    /// The clock used to display media time.
    var clock = PositionClock.media

    /// The limit beyond which values are not drawn to scale, in seconds (about 30,000 years).
    private static let farthest = 1e12

    /// Creates the axis of media time from 0 to `end` seconds, at least one.
    ///
    /// Ticks are at round times of the clock.
    static func time(to end: Double, clock: PositionClock = .media) -> PlotAxis {
        let end = end.isNaN ? 1 : min(max(end, 1), farthest)
        let steps: [Double] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
        ]
        var step = steps.first { end / $0 <= 8 } ?? 86_400
        while end / step > 8 { step *= 2 }
        let begun = Double(clock.origin ?? 0).truncatingRemainder(dividingBy: step)
        let first = begun == 0 ? 0 : step - begun
        return PlotAxis(
            lower: 0, upper: end, ticks: Array(stride(from: first, through: end, by: step)), clock: clock)
    }

    /// Creates an axis that contains both values and ends at ticks.
    static func values(from low: Double, to high: Double) -> PlotAxis {
        let low = min(max(low, -farthest), farthest)
        let high = min(max(high, -farthest), farthest)
        let span = max(high - low, 0.001)
        var step = 0.001
        // The factors 2, 2.5 and 2 put ticks at 1, 2 and 5 times a power of ten.
        let factors = [2, 2.5, 2]
        var index = 0
        while span / step > 4 {
            step *= factors[index % 3]
            index += 1
        }
        let lower = (low / step).rounded(.down) * step
        let upper = (high / step).rounded(.up) * step
        let count = Int(((upper - lower) / step).rounded())
        return PlotAxis(
            lower: lower, upper: upper, ticks: (0...max(1, count)).map { lower + Double($0) * step })
    }

    /// Returns the position of a value between the ends, 0 to 1; values outside the range are clamped.
    func fraction(of value: Double) -> Double {
        guard upper > lower else { return 0 }
        return min(1, max(0, (value - lower) / (upper - lower)))
    }

    /// Returns the position of a value along the axis as an SVG percentage.
    func percent(of value: Double) -> String { DecimalText.short(fraction(of: value) * 100) + "%" }
}

/// The clock that displays the positions of a track: seconds of media from its start, or time of day.
enum PositionClock: Sendable, Hashable {
    /// Media time from the start of the reading.
    case media
    /// Time of day in UTC, where position 0 is at `origin` in Unix seconds.
    case wall(origin: Int64)

    /// The Unix time of position 0; nil for media time.
    var origin: Int64? { if case .wall(let origin) = self { origin } else { nil } }

    /// Returns a position as text.
    func text(_ seconds: Double) -> String {
        guard let origin else { return DecimalText.clock(seconds) }
        let whole = Int64(exactly: seconds.rounded()) ?? 0
        return RFC3339.clockText(unixSeconds: origin + whole)
    }
}
