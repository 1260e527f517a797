import Testing

@testable import Reporting

@Suite struct PlotAxisTests {
    /// Numbers from 0.0025 to beyond the range of a double, and 0, -1, infinity and NaN.
    private static let ends: [Double] = (-3...308).map(number) + [0, -1, .infinity, .nan]

    /// Returns 2.5, multiplied with a power of ten.
    private static func number(_ power: Int) -> Double {
        (0..<abs(power)).reduce(2.5) { value, _ in power < 0 ? value / 10 : value * 10 }
    }

    @Test(arguments: ends)
    func timeAxis_ofAnyLength_hasFewAscendingTicks(end: Double) {
        let axis = PlotAxis.time(to: end)
        #expect((1...10).contains(axis.ticks.count))
        #expect(zip(axis.ticks, axis.ticks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(axis.upper.isFinite && axis.upper >= 1)
    }

    @Test(arguments: ends.filter { !$0.isNaN })
    func valueAxis_ofAnySize_hasFewAscendingTicks(size: Double) {
        for (low, high) in [(0, size), (-size, size), (-size, 0)] where low <= high {
            let axis = PlotAxis.values(from: low, to: high)
            #expect((2...8).contains(axis.ticks.count))
            #expect(zip(axis.ticks, axis.ticks.dropFirst()).allSatisfy { $0 < $1 })
            let reach = 1e12
            #expect(axis.lower <= max(low, -reach) && axis.upper >= min(high, reach))
        }
    }

    @Test func ticks_areRoundNumbers() {
        #expect(PlotAxis.time(to: 125).ticks == [0, 30, 60, 90, 120])
        #expect(
            PlotAxis.time(to: 86_400).ticks == [
                0, 10_800, 21_600, 32_400, 43_200, 54_000, 64_800, 75_600, 86_400,
            ])
        #expect(PlotAxis.values(from: 0, to: 12).ticks == [0, 5, 10, 15])
        #expect(PlotAxis.values(from: -2.4, to: 2.4).ticks == [-4, -2, 0, 2, 4])
    }

    @Test func positions_beyondTheAxis_areClamped() {
        let axis = PlotAxis.values(from: 0, to: 10)
        #expect(axis.percent(of: -5) == "0%")
        #expect(axis.percent(of: 1e300) == "100%")
        #expect(axis.percent(of: axis.upper / 4) == "25%")
    }
}
