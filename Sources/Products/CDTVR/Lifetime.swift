// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import PlayerSession

@implementation @c
package func dtvr_create(
    _ options: UnsafePointer<dtvr_options>!, _ appInfo: UnsafePointer<CChar>!, _ length: Int,
    _ session: UnsafeMutablePointer<OpaquePointer?>!
) -> dtvr_status {
    guard let session = unsafe session else { return DTVR_NULL_POINTER }
    // Safe: the caller's variable is valid for the duration of the call.
    unsafe session.pointee = nil
    guard let options = unsafe options else { return DTVR_NULL_POINTER }
    guard LibraryProcess.enter() else { return DTVR_FORKED }
    let app = unsafe InputText(appInfo, length)
    if case .notUTF8 = app { return DTVR_NOT_UTF8 }
    let handle: SessionHandle
    do throws(ArgumentError) {
        let known = try unsafe dtvr_options(copying: options)
        let callbacks = try unsafe CallbackQueue(known.notify, context: known.context)
        var options = try unsafe SessionOptions(known)
        options.delegate = callbacks
        handle = SessionHandle(session: MeasurementSession(options: options), callbacks: callbacks)
    } catch {
        return error.status
    }
    if let appInfo = app.value { handle.session.initialize(appInfo) }
    unsafe session.pointee = handle.register()
    return DTVR_DONE
}

@implementation @c
package func dtvr_destroy(_ session: OpaquePointer!, _ milliseconds: UInt64) -> dtvr_status {
    unsafe dtvr_finish(session, milliseconds, nil)
}

@implementation @c
package func dtvr_finish(
    _ session: OpaquePointer!, _ milliseconds: UInt64, _ ending: UnsafeMutablePointer<dtvr_ending>!
) -> dtvr_status {
    // Before the session ends: afterwards the caller cannot correct it.
    if let ending = unsafe ending, unsafe ending.pointee.size < MemoryLayout<Int>.size {
        return DTVR_INVALID_OPTION
    }
    return unsafe SessionHandle.finish(session, within: .milliseconds(Int64(clamping: milliseconds))) {
        result in
        unsafe ending == nil ? DTVR_DONE : answer(dtvr_ending(result), to: ending)
    }
}

@implementation @c
package func dtvr_settle(_ session: OpaquePointer!, _ milliseconds: UInt64) -> dtvr_status {
    unsafe SessionHandle.with(session) { $0.flush(within: .milliseconds(Int64(clamping: milliseconds))) }
}

@implementation @c
package func dtvr_deliver_within(
    _ session: OpaquePointer!, _ milliseconds: UInt64, _ result: UnsafeMutablePointer<dtvr_delivered>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        // Safe: the caller's variable is valid for the duration of the call.
        if let result = unsafe result, unsafe result.pointee.size < MemoryLayout<Int>.size {
            return DTVR_INVALID_OPTION
        }
        guard let delivered = handle.deliver(within: .milliseconds(Int64(clamping: milliseconds))) else {
            return DTVR_TIMED_OUT
        }
        let copied = unsafe result == nil ? DTVR_DONE : answer(dtvr_delivered(delivered), to: result)
        return copied == DTVR_DONE ? handle.status(of: delivered) : copied
    }
}

@implementation @c
package func dtvr_init(
    _ session: OpaquePointer!, _ appInfo: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.initialize, session, InputText(appInfo, length))
}

@implementation @c
package func dtvr_shut_down(_ session: OpaquePointer!) -> dtvr_status { unsafe call(.free, session) }
