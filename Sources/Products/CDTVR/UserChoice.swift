// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import PlayerSession

@implementation @c
package func dtvr_disable(_ session: OpaquePointer!, _ isDisabled: Bool) -> dtvr_status {
    unsafe call(.appDisableApi, session, .flag(isDisabled))
}

@implementation @c
package func dtvr_user_opt_out(
    _ session: OpaquePointer!, _ address: UnsafePointer<CChar>!, _ length: Int
) -> dtvr_status {
    unsafe call(.userOptOut, session, InputText(address, length))
}

@implementation @c
package func dtvr_opt_out_status(
    _ session: OpaquePointer!, _ isOptedOut: UnsafeMutablePointer<Bool>!
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        guard let place = unsafe isOptedOut else { return DTVR_NULL_POINTER }
        // Safe: the caller's variable is valid for the duration of the call.
        unsafe place.pointee = handle.session.optOutStatus
        return DTVR_DONE
    }
}

@implementation @c
package func dtvr_opt_out_url(
    _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> dtvr_status {
    unsafe answer(session, buffer, capacity, length) { $0.optOutURL }
}
