// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import PlayerSession
import TextForms

@implementation @c
package func dtvr_get_state(
    _ session: OpaquePointer!, _ state: UnsafeMutablePointer<dtvr_state>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        guard let place = unsafe state else { return DTVR_NULL_POINTER }
        let state =
            switch handle.session.state {
            case .initial: DTVR_STATE_INITIAL
            case .idle: DTVR_STATE_IDLE
            case .processing: DTVR_STATE_PROCESSING
            case .disabled: DTVR_STATE_DISABLED
            }
        // Safe: the caller's variable is valid for the duration of the call.
        unsafe place.pointee = state
        return DTVR_DONE
    }
}

@implementation @c
package func dtvr_get_counts(
    _ session: OpaquePointer!, _ counts: UnsafeMutablePointer<dtvr_counts>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        unsafe answer(dtvr_counts(handle.session.counts, handle.session.storage), to: counts)
    }
}

@implementation @c
package func dtvr_get_buffer_counts(
    _ session: OpaquePointer!, _ counts: UnsafeMutablePointer<dtvr_buffer_counts>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        unsafe answer(handle.session.bufferTotals.map { dtvr_buffer_counts($0) }, to: counts)
    }
}

@implementation @c
package func dtvr_get_delivery(
    _ session: OpaquePointer!, _ delivery: UnsafeMutablePointer<dtvr_delivery>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        unsafe answer(dtvr_delivery(handle.session.delivery), to: delivery)
    }
}

@implementation @c
package func dtvr_delivery_reason(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.delivery.reason }
}

@implementation @c
package func dtvr_findings(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { session in
        var writer = JSONWriter()
        writer.beginObject()
        for (finding, count) in session.findings.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.write(finding.rawValue, count)
        }
        let details = session.findingDetails
        if !details.isEmpty {
            writer.key("details")
            writer.beginArray()
            for (finding, count) in details { finding.write(to: &writer, count: count) }
            writer.endArray()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

@implementation @c
package func dtvr_last_event(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.lastEvent?.json }
}

@implementation @c
package func dtvr_last_error(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.lastError?.json }
}

@implementation @c
package func dtvr_last_occurred(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.lastOccurred?.json }
}

@implementation @c
package func dtvr_device_id(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.deviceID }
}

@implementation @c
package func dtvr_first_party_id(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.firstPartyID }
}

/// Copies a text of a session to the caller's buffer.
func answer(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?, _ text: (MeasurementSession) -> String?
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        unsafe OutputText(buffer, capacity, length).write(text(handle.session))
    }
}

/// The caller's memory that receives a text.
@safe struct OutputText {
    private let buffer: UnsafeMutablePointer<CChar>?
    private let capacity: UInt
    private let length: UnsafeMutablePointer<Int>?

    init(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?) {
        unsafe self.buffer = buffer
        self.capacity = unsafe buffer == nil ? 0 : UInt(bitPattern: capacity)
        unsafe self.length = length
    }

    /// Copies a text and a NUL to the buffer if both fit, and always writes the length of the text.
    func write(_ text: String?) -> dtvr_status {
        let bytes = Array((text ?? "").utf8)
        // Safe: the caller's variable is valid for the duration of the call.
        unsafe length?.pointee = bytes.count
        guard let buffer = unsafe buffer, capacity > UInt(bytes.count) else {
            return text == nil ? DTVR_NOTHING : DTVR_TOO_SMALL
        }
        // Safe: the caller guarantees `capacity` bytes, and the guard has checked that the text and its NUL fit.
        for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[bytes.count] = 0
        return text == nil ? DTVR_NOTHING : DTVR_DONE
    }
}

/// Copies counts to the caller's structure, at most as many bytes as its `size` field says.
///
/// `size` is the first field in every version of the structure.
func answer<Counts>(_ counts: Counts?, to place: UnsafeMutablePointer<Counts>?) -> dtvr_status {
    guard let place = UnsafeMutableRawPointer(place) else { return DTVR_NULL_POINTER }
    let size = unsafe place.load(as: Int.self)
    guard size >= MemoryLayout<Int>.size else { return DTVR_INVALID_OPTION }
    guard var counts else { return DTVR_NOTHING }
    unsafe withUnsafeBytes(of: &counts) { counts in
        // Safe: writes only the bytes that the caller's `size` covers. The `size` field itself stays unchanged.
        let start = MemoryLayout<Int>.size
        unsafe UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(start: place, count: size)[start...]
        )
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: counts[start..<min(size, counts.count)]))
    }
    return DTVR_DONE
}

extension dtvr_counts {
    fileprivate init(_ counts: SessionCounts, _ storage: SessionStorage) {
        self.init()
        handed = UInt64(counts.handed)
        stored = UInt64(counts.stored)
        repeats = UInt64(counts.repeats)
        ignored = UInt64(counts.ignored)
        invalid = UInt64(counts.invalid)
        discarded = UInt64(counts.discarded)
        held = UInt64(counts.held)
        flushed = UInt64(counts.flushed)
        sessions = UInt64(counts.sessions)
        queued = UInt64(storage.queued)
        accepted = UInt64(storage.accepted)
        lost = UInt64(storage.lost)
        summaries = UInt64(storage.summaries)
        lost_summaries = UInt64(storage.lostSummaries)
    }
}

extension dtvr_buffer_counts {
    fileprivate init(_ totals: StoreTotals) {
        self.init()
        accepted = UInt64(clamping: totals.accepted)
        delivered = UInt64(clamping: totals.delivered)
        waiting = UInt64(clamping: totals.inStore)
        evicted = UInt64(clamping: totals.losses.evicted)
        expired = UInt64(clamping: totals.losses.expired)
        dead = UInt64(clamping: totals.losses.dead)
        pruned = UInt64(clamping: totals.losses.pruned)
        damaged = UInt64(clamping: totals.losses.damaged)
        in_memory = UInt64(clamping: totals.overflow)
        memory_lost = UInt64(clamping: totals.losses.memoryLost)
        refused = UInt64(clamping: totals.refused)
    }
}

extension dtvr_delivery {
    init(_ delivery: SessionDelivery) {
        self.init()
        state = delivery.state.number
        code = Int32(delivery.code?.rawValue ?? 0)
        since_unix_ms = delivery.since ?? 0
        dead_letters = UInt64(clamping: delivery.deadLetters)
    }
}

extension dtvr_fed {
    init(_ segment: FedSegment) {
        self.init()
        tags = UInt64(segment.tagCount)
        repeats = UInt64(segment.repeatCount)
    }
}

extension dtvr_delivered {
    init(_ result: SessionDelivered) {
        self.init()
        delivered = UInt64(clamping: result.delivered)
        waiting = UInt64(clamping: result.waiting)
        held = UInt64(result.held)
        state = result.delivery.state.number
        code = Int32(result.delivery.code?.rawValue ?? 0)
    }
}

extension dtvr_ending {
    init(_ ending: SessionEnding) {
        self.init()
        delivered = UInt64(clamping: ending.delivered)
        waiting = UInt64(clamping: ending.waiting)
        state = ending.delivery.state.number
        code = Int32(ending.delivery.code?.rawValue ?? 0)
    }
}

extension SessionDelivery.State {
    fileprivate var number: dtvr_delivery_state {
        switch self {
        case .off: DTVR_DELIVERY_OFF
        case .idle: DTVR_DELIVERY_IDLE
        case .sending: DTVR_DELIVERY_SENDING
        case .retrying: DTVR_DELIVERY_RETRYING
        case .held: DTVR_DELIVERY_HELD
        case .elsewhere: DTVR_DELIVERY_ELSEWHERE
        }
    }
}
