import CDTVRHeader
import PlayerSession

/// Makes a session call with the arguments of a C function.
///
/// - Parameters:
///   - text: the first argument; nil for a call without arguments.
///   - time: the playhead; NaN for none.
func call(
    _ name: CallName, _ session: OpaquePointer?, _ text: InputText? = nil, time: Double = .nan
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        if case .notUTF8? = text { return DTVR_NOT_UTF8 }
        var arguments: [MetadataValue] = []
        if let text { arguments.append(text.value ?? .null) }
        if !time.isNaN { arguments.append(.number(time)) }
        return handle.session.call(SessionCall(name, arguments)).status
    }
}

/// Makes a session call with one argument.
func call(_ name: CallName, _ session: OpaquePointer?, _ value: MetadataValue) -> dtvr_status {
    unsafe SessionHandle.with(session) { $0.session.call(SessionCall(name, [value])).status }
}

extension CallResult {
    /// The C status for the outcome.
    var status: dtvr_status {
        switch outcome {
        case .done: DTVR_DONE
        case .stored: DTVR_STORED
        case .held: DTVR_HELD
        case .repeat: DTVR_REPEAT
        case .queued: DTVR_QUEUED
        case .ignored: DTVR_IGNORED
        case .unknown: DTVR_UNKNOWN_CALL
        case .discarded: DTVR_DISCARDED
        case .invalid: DTVR_INVALID
        case .lost: DTVR_LOST
        case .error, .unreadable: DTVR_REFUSED
        }
    }
}
