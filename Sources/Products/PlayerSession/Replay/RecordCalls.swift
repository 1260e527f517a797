
/// Translates the records of players, as a buffer exports them, into the calls that led to them.
///
/// Records have no playhead of each second and no interruptions, so the calls have neither.
struct RecordCalls: Sendable {
    /// The last viewing session of each app session.
    private var viewings: [String: String] = [:]

    /// Returns the calls of a record, and the name of its session; nil if the object is not a record of a player.
    mutating func calls(
        of record: Metadata
    ) -> (instance: String, calls: [(name: String, arguments: [MetadataValue])])? {
        let instance = record.text("app_session") ?? ""
        if case .text(let owner)? = record["owner"] { return (instance, [("sendID3", [.text(owner)])]) }
        switch record.text("kind") {
        case "app":
            guard let app = record["app"] else { return nil }
            let isOptedOut = record["opted_out"] == .flag(true)
            let choice = isOptedOut ? [("userOptOut", [MetadataValue.text("nielsenappsdk://1")])] : []
            return (instance, [("init", [app])] + choice)
        case "asset":
            guard let metadata = record["metadata"] else { return nil }
            var calls: [(String, [MetadataValue])] = []
            if let viewing = record.text("session"), viewings[instance] != viewing {
                if viewings.count < CallEvaluation.maximumSessionCount { viewings[instance] = viewing }
                if let channel = record["channel_info"], channel.members?.isEmpty == false {
                    calls.append(("play", [channel]))
                }
            }
            if metadata.members?.isEmpty == false { calls.append(("loadMetadata", [metadata])) }
            return (instance, calls)
        case "session": return (instance, [])
        default: return nil
        }
    }
}
