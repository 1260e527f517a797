import HostSystem
import Testing

@testable import TagDelivery

/// Random numbers that are always the same fraction of the range.
struct Fraction: RandomNumberGenerator {
    let bits: UInt64
    mutating func next() -> UInt64 { bits }
}

// Not 0, which the standard library draws again and again where the range is no power of two.
let lowestFraction = Fraction(bits: 1 << 32)
let highestFraction = Fraction(bits: .max)
/// The wall clock at the start of a schedule, in Unix milliseconds.
let start: Int64 = 1_795_000_000_000

/// Tells a schedule the answer to a batch of `count` tags.
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
    /// In one boot, with a wall clock that nobody sets.
    static func steady(_ wall: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: wall - 1_794_000_000_000, bootID: "boot", isTrusted: true)
    }
}
