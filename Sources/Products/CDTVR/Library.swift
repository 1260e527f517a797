// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import PlayerSession

@implementation @c
package func dtvr_version() -> UnsafePointer<CChar>! {
    unsafe PermanentText.of(MeasurementSession.meterVersion)
}

@implementation @c
package func dtvr_status_text(_ status: dtvr_status) -> UnsafePointer<CChar>! {
    let text =
        switch status {
        case DTVR_DONE: "done"
        case DTVR_STORED: "the tag was kept"
        case DTVR_HELD: "the tag was kept, and waits for the playhead"
        case DTVR_REPEAT: "the tag was the last one once more"
        case DTVR_QUEUED: "the call waits for the configuration"
        case DTVR_IGNORED: "the tag is of another owner, or there is no such call"
        case DTVR_DISCARDED: "the user has opted out, or the session is disabled"
        case DTVR_INVALID: "the tag was no tag"
        case DTVR_REFUSED: "the call could not be understood"
        case DTVR_NOTHING: "there is no such value"
        case DTVR_FORKED: "this is the child of a process that has made a session"
        case DTVR_NULL_POINTER: "a pointer is null"
        case DTVR_NOT_UTF8: "a text is not UTF-8"
        case DTVR_INVALID_OPTION: "an option is missing, or outside its range"
        case DTVR_TOO_SMALL: "the answer is longer than the buffer"
        case DTVR_TIMED_OUT: "it took longer than was allowed"
        case DTVR_NOT_ON_DISK: "the disk takes nothing now"
        case DTVR_NO_THREAD: "the system has no thread to spare"
        default: "an unknown status"
        }
    return unsafe PermanentText.of(text)
}

@implementation @c
package func dtvr_error_text(_ code: Int32) -> UnsafePointer<CChar>! {
    unsafe PermanentText.of(SessionErrorCode(rawValue: Int(code))?.summary ?? "an unknown error")
}
