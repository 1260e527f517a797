import TextForms

/// The result of a call.
public struct CallResult: Sendable, Hashable {
    /// The outcome of the call.
    public var outcome = CallOutcome.done
    /// The error; nil if there was none.
    public var code: SessionErrorCode?
    /// The deviations from the guides that the call revealed, with what they concern.
    public internal(set) var details: [PlayerFinding] = []
    /// The answer to a call that asks for something, `null` if there is none at present; nil for any other call.
    public internal(set) var value: MetadataValue?
    /// The state of the session after the call.
    public var state = SessionState.initial

    /// Creates a result with the outcome `done`.
    package init() {}

    /// The ids of the deviations from the guides, in the order of `details`.
    public var findings: [SessionFinding] { details.map(\.id) }
}

extension CallResult {
    /// The result as one JSON object.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the members of the result into the open JSON object.
    ///
    /// - Parameter withValues: whether the findings have the values that they concern.
    func writeMembers(to writer: inout JSONWriter, withValues: Bool = true) {
        writer.write("outcome", outcome.rawValue)
        if let code { writer.write("code", code.rawValue) }
        if let value {
            writer.key("value")
            value.write(to: &writer, maximumDepth: 1)
        }
        writer.key("findings")
        writer.beginArray()
        for finding in findings { writer.value(finding.rawValue) }
        writer.endArray()
        if !details.isEmpty {
            writer.key("details")
            writer.beginArray()
            for finding in details { finding.write(to: &writer, withValue: withValues) }
            writer.endArray()
        }
        writer.write("state", state.rawValue)
    }
}

/// The outcome of a call.
public enum CallOutcome: String, Sendable, Hashable, CaseIterable {
    /// The tag was stored.
    case stored
    /// Duplicate of the previous tag: counted, not stored.
    case `repeat`
    /// The tag was stored, and is held until the playhead reaches its media time.
    case held
    /// The tag has another owner, the address is not a choice of the opt-out page, or the content is not kept.
    case ignored
    /// The call or event is unknown.
    case unknown
    /// The tag is invalid: empty, too long, not text, or undecodable base64.
    case invalid
    /// The tag or the call came while the user had opted out or the session was disabled, or after its end.
    case discarded
    /// The tag was lost, because the queue for the disk is full; it is counted.
    case lost
    /// Success.
    case done
    /// The arguments of the call are missing or invalid.
    case error
    /// The line of a call log is malformed.
    case unreadable
    /// The call is queued until the user's choice and the configuration have been read.
    case queued
}

/// The state of a session.
public enum SessionState: String, Sendable, Hashable, CaseIterable {
    /// Not initialized, or not with an app id that can be read, or shut down.
    case initial
    /// Initialized; nothing is playing.
    case idle
    /// Something is playing, or is interrupted.
    case processing
    /// Disabled by the app.
    case disabled
}
