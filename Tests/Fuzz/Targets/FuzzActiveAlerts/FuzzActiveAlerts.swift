@testable import StreamMonitor

/// What a monitor keeps of alerts over a restart: never a crash, whatever it says, and no more waits than may.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzActiveAlerts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let kept: ActiveAlerts.Kept
    do throws(KeptFile<ActiveAlerts.Kept>.Problem) {
        kept = try KeptFile.value(of: bytes)
    } catch {
        return 0
    }
    // Neither file is there, nor can it be written.
    let queue = WebhookQueue(markPath: "/dev/null/mark") { _ in }
    let alerts = ActiveAlerts(KeptFile(path: "/dev/null/alerts"), kept: kept, webhook: queue)
    precondition(queue.waiting.count <= min(1_000, bytes.count))
    for channel in alerts.channels { alerts.assign(channel: channel, to: "host", at: 1_800_000_000_000) }
    _ = alerts.settle(at: 1_800_000_000_000)
    for channel in alerts.channels { alerts.assign(channel: channel, to: nil, at: 1_800_000_000_000) }
    for event in alerts.settle(at: 1_800_000_060_000) { precondition(WaitingAlert(event) != nil) }
    precondition(alerts.activeCount == 0 && queue.waiting.count <= 1_000)
    return 0
}
