import ExtremeMutation
import HostSystem

@testable import StreamMonitor

/// Restores the alerts of a monitor from the input: no crash, and no more alerts wait for the webhook than the limit.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAlertStore(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let contents: AlertStore.Contents
    do throws(AtomicJSONFile<AlertStore.Contents>.Problem) {
        contents = try AtomicJSONFile.value(of: bytes)
    } catch {
        return 0
    }
    // Neither file exists, and neither can be written.
    let queue = WebhookQueue(markPath: "/dev/null/mark") { _ in }
    let alerts = AlertStore(AtomicJSONFile(path: "/dev/null/alerts"), contents: contents, webhook: queue)
    let pipeline = AlertPipeline(alerts)
    precondition(queue.waiting.count <= min(1_000, bytes.count))
    func now(_ seconds: Int64) -> ClockReading {
        ClockReading(
            wall: 1_800_000_000_000 + seconds * 1_000, boot: seconds * 1_000,
            bootID: contents.written?.bootID ?? "boot", isTrusted: true)
    }
    for waiting in queue.waiting { precondition(waiting.age(at: now(60)) >= 0) }
    for channel in alerts.channels { alerts.assign(channel: channel, to: "host", at: now(0)) }
    _ = pipeline.publish(at: now(0))
    for channel in alerts.channels { alerts.assign(channel: channel, to: nil, at: now(0)) }
    for event in pipeline.publish(at: now(60)) { precondition(event.time == now(60).wall) }
    precondition(alerts.activeCount == 0 && queue.waiting.count <= 1_000)
    return 0
}
