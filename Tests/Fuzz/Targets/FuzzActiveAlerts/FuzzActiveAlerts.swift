import HostSystem

@testable import StreamMonitor

/// What a monitor keeps of alerts over a restart: never a crash, whatever it says, and no more waits than may.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzActiveAlerts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let kept: ActiveAlerts.Kept
    do throws(AtomicJSONFile<ActiveAlerts.Kept>.Problem) {
        kept = try AtomicJSONFile.value(of: bytes)
    } catch {
        return 0
    }
    // Neither file is there, nor can it be written.
    let queue = WebhookQueue(markPath: "/dev/null/mark") { _ in }
    let alerts = ActiveAlerts(AtomicJSONFile(path: "/dev/null/alerts"), kept: kept, webhook: queue)
    precondition(queue.waiting.count <= min(1_000, bytes.count))
    func now(_ seconds: Int64) -> ClockReading {
        ClockReading(
            wall: 1_800_000_000_000 + seconds * 1_000, boot: seconds * 1_000,
            bootID: kept.written?.bootID ?? "boot", isTrusted: true)
    }
    for waiting in queue.waiting { precondition(waiting.age(at: now(60)) >= 0) }
    for channel in alerts.channels { alerts.assign(channel: channel, to: "host", at: now(0)) }
    _ = alerts.settle(at: now(0))
    for channel in alerts.channels { alerts.assign(channel: channel, to: nil, at: now(0)) }
    for event in alerts.settle(at: now(60)) { precondition(WaitingAlert(event, at: now(60)) != nil) }
    precondition(alerts.activeCount == 0 && queue.waiting.count <= 1_000)
    return 0
}
