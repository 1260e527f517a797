// The functions are named as dtvr.h names them, and described there.
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
        // The caller's variable, while the call lasts.
        unsafe place.pointee = state
        return DTVR_DONE
    }
}

@implementation @c
package func dtvr_get_counts(
    _ session: OpaquePointer!, _ counts: UnsafeMutablePointer<dtvr_counts>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        guard let place = unsafe counts else { return DTVR_NULL_POINTER }
        // The first field is in every version, and says how many bytes may be written.
        let size = unsafe place.pointee.size
        guard size >= MemoryLayout<Int>.size else { return DTVR_INVALID_OPTION }
        var answer = dtvr_counts(handle.session.counts, handle.session.storage)
        answer.size = size
        unsafe withUnsafeBytes(of: &answer) { answer in
            unsafe UnsafeMutableRawPointer(place).copyMemory(
                from: answer.baseAddress.unsafelyUnwrapped, byteCount: min(size, answer.count))
        }
        return DTVR_DONE
    }
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

/// Answers a text of a session.
func answer(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>?, _ text: (MeasurementSession) -> String?
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        unsafe AnsweredText(buffer, capacity, length).take(text(handle.session))
    }
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
    }
}

extension SessionNotification {
    fileprivate var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.write("code", code)
        writer.write("description", text)
        writer.write("timestamp", timestamp)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
