// Implements functions of dtvr.h under their C names; the header documents them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import CDTVRHeader
import Glibc
import PlayerSession
import Synchronization

@implementation @c
package func dtvr_version() -> UnsafePointer<CChar>! {
    unsafe InternedCString.of(MeasurementSession.meterVersion)
}

@implementation @c
package func dtvr_status_text(_ status: dtvr_status) -> UnsafePointer<CChar>! {
    let text =
        switch status {
        case DTVR_DONE: "done"
        case DTVR_STORED: "the tag was stored"
        case DTVR_HELD: "the tag was stored, and waits for the playhead"
        case DTVR_REPEAT: "duplicate of the previous tag: counted, not stored"
        case DTVR_QUEUED: "the call is queued until the configuration has been read"
        case DTVR_IGNORED:
            "the tag has another owner, the address is not a choice, or the content is not kept"
        case DTVR_DISCARDED: "the user has opted out, or the session is disabled"
        case DTVR_INVALID: "the tag is invalid"
        case DTVR_REFUSED: "the arguments of the call are missing or invalid"
        case DTVR_NOTHING: "the value does not exist"
        case DTVR_UNKNOWN_CALL: "the call or event is unknown"
        case DTVR_LOST: "the tag was lost, because the queue for the disk is full"
        case DTVR_FORKED: "the process is a forked child"
        case DTVR_NULL_POINTER: "a required pointer is null"
        case DTVR_NOT_UTF8: "a text is not UTF-8"
        case DTVR_INVALID_OPTION: "an option is missing or out of range"
        case DTVR_TOO_SMALL: "the answer does not fit in the buffer"
        case DTVR_TIMED_OUT: "the timeout expired"
        case DTVR_NOT_ON_DISK: "the disk is full or read-only"
        case DTVR_IN_USE: "another process owns the buffer"
        case DTVR_NOT_DELIVERED: "tags wait, and cannot be delivered in time"
        case DTVR_NO_THREAD: "the system cannot provide another thread"
        case DTVR_NO_SESSION: "the session does not exist: it was destroyed, or never created"
        default: "unknown status"
        }
    return unsafe InternedCString.of(text)
}

@implementation @c
package func dtvr_error_text(_ code: Int32) -> UnsafePointer<CChar>! {
    unsafe InternedCString.of(SessionErrorCode(rawValue: Int(code))?.summary ?? "unknown error")
}

/// The C strings that the library returns: each distinct text is allocated once and never freed.
enum InternedCString {
    private static let strings = Mutex<[String: UInt]>([:])

    /// Returns the NUL-terminated C string of a text, which stays valid until the process ends.
    static func of(_ text: String) -> UnsafePointer<CChar>? {
        let string = strings.withLock { strings in
            if let known = strings[text] { return known }
            // Intentionally never freed: there is one copy for each distinct text.
            let string = unsafe UInt(bitPattern: strdup(text))
            strings[text] = string
            return string
        }
        return unsafe UnsafePointer(bitPattern: string)
    }
}
