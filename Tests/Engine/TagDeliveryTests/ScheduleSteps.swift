import HostSystem
import Testing

@testable import TagDelivery

/// A random number generator that always returns the same fraction of the range.
struct Fraction: RandomNumberGenerator {
    let bits: UInt64
    mutating func next() -> UInt64 { bits }
}

// Not 0, which the standard library redraws repeatedly if the range is not a power of two.
let lowestFraction = Fraction(bits: 1 << 32)
let highestFraction = Fraction(bits: .max)
/// The wall clock at the start of a schedule, in Unix milliseconds.
let start: Int64 = 1_795_000_000_000

/// Passes the answer to a batch of `count` tags to a schedule, and returns the action.
@discardableResult
func learn(
    _ answer: SinkAnswer, _ count: Int, _ schedule: inout DeliverySchedule, now: Int64 = start,
    _ random: Fraction = highestFraction, byteCount: Int? = nil
) -> DeliverySchedule.Action {
    var random = random
    return schedule.learn(
        from: answer, count: count, byteCount: byteCount ?? count * 740, now: .steady(now), using: &random)
}

extension ClockReading {
    /// Returns a reading within one boot, with a wall clock that is never set.
    static func steady(_ wall: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: wall - 1_794_000_000_000, bootID: "boot", isTrusted: true)
    }
}
