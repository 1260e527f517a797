import ExtremeMutation
import HostSystem

@testable import TagStore

/// Decodes the input as the stored epochs of a buffer: no crash, for any later clock reading.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClockEpochs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var epochs = ClockEpochs(encoded: bytes)
    precondition(epochs.epochs.count <= ClockEpochs.maximumCount)
    precondition(ClockEpochs(encoded: epochs.encoded) == epochs)
    for boot in ["boot-1", epochs.epochs.last?.bootID ?? ""] {
        let now = ClockReading(
            wall: 1_800_000_000_000, boot: 5_000_000, bootID: boot, isTrusted: true)
        for (epoch, sequences) in epochs.ranges {
            precondition(!sequences.isEmpty)
            _ = ClockEpochs.age(receivedBoot: 1_000, in: epoch, at: now, isWallTrusted: true)
        }
        _ = epochs.enter(now, sequence: 100)
        precondition(epochs.epochs.count <= ClockEpochs.maximumCount)
    }
    epochs.forget(before: .max)
    return 0
}
