import ExtremeMutation
import HostSystem

@testable import TagDelivery

/// Decodes the input as the stored state of a delivery: no crash.
///
/// A readable state requires no impossible batch or wait, and survives another encoding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeliveryState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let schedule = DeliverySchedule(forAnySink: bytes) else { return 0 }
    precondition((1...DeliverySchedule.maximumCount).contains(schedule.nextCount))
    let record = schedule.encoded(for: "s")
    precondition(record.count <= 1_536)
    guard let again = DeliverySchedule(forAnySink: record) else { fatalError("it cannot be read again") }
    // A reason may be omitted, or lose bytes that are not UTF-8; nothing else is lost.
    precondition(again.nextCount == schedule.nextCount && again.attempt == schedule.attempt)
    precondition(again.lastSuccess == schedule.lastSuccess && again.encoding == schedule.encoding)
    for wall in [.min, 0, 1_800_000_000_000, .max] as [Int64] {
        for bootID in ["boot", schedule.waitStart?.bootID ?? ""] {
            let now = ClockReading(wall: wall, boot: wall / 2, bootID: bootID, isTrusted: true)
            let wait = schedule.remainingWait(now: now)
            precondition(wait >= .zero && wait <= .seconds(3_600))
        }
    }
    return 0
}
