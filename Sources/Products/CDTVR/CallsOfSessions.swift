import CDTVRHeader
import PlayerSession

/// Makes a call of a session with what C hands over.
///
/// - Parameters:
///   - text: what the call takes first; nil for a call that takes none.
///   - time: a playhead; one that is not a number is none.
func make(
    _ name: CallName, _ session: OpaquePointer?, _ text: ReceivedText? = nil, time: Double = .nan
) -> dtvr_status {
    unsafe SessionHandle.with(session) { handle in
        if case .notUTF8? = text { return DTVR_NOT_UTF8 }
        var arguments: [MetadataValue] = []
        if let text { arguments.append(text.value ?? .null) }
        if !time.isNaN { arguments.append(.number(time)) }
        return handle.session.call(SessionCall(name, arguments)).status
    }
}

/// Makes a call of a session that takes one value.
func make(_ name: CallName, _ session: OpaquePointer?, _ value: MetadataValue) -> dtvr_status {
    unsafe SessionHandle.with(session) { $0.session.call(SessionCall(name, [value])).status }
}

extension CallResult {
    /// The status that says it.
    var status: dtvr_status {
        switch outcome {
        case .done: DTVR_DONE
        case .stored: DTVR_STORED
        case .held: DTVR_HELD
        case .repeat: DTVR_REPEAT
        case .queued: DTVR_QUEUED
        case .ignored: DTVR_IGNORED
        case .discarded: DTVR_DISCARDED
        case .invalid: DTVR_INVALID
        case .error, .unreadable: DTVR_REFUSED
        }
    }
}
