import TextForms

/// The detail of a session's log, by the names of the guides (guide 001, "Debug flag for development environment").
enum LogLevel: String, Sendable, Hashable, CaseIterable {
    /// Every call.
    case debug = "DEBUG"
    /// Every call that reports something; a replay needs no other.
    case info = "INFO"
    /// Calls with a finding or an error.
    case warn = "WARN"
    /// Calls with an error.
    case error = "ERROR"

    /// Returns the level with a name, without regard to case; nil for any other text.
    init?(name: String) { self.init(rawValue: name.uppercased()) }

    fileprivate func includes(_ call: SessionCall, _ result: CallResult) -> Bool {
        let isError = result.code != nil || result.outcome == .error
        return switch self {
        case .debug: true
        case .info: !(call.name?.isQuestion ?? false) || isError
        case .warn: isError || !result.findings.isEmpty
        case .error: isError
        }
    }
}

/// The log of a session: its calls and their results, as the lines that `dtvr replay` reads.
///
/// While the user has opted out, lines have no values, except those that name the app and the user's choice. A choice
/// that no call of the log has made is in the line of `init`, or of the next call.
struct SessionLog: Sendable {
    /// The level of the session's options; nil if they name no log.
    private let optionLevel: LogLevel?
    /// Whether the app's information may turn on the log.
    private let followsApp: Bool
    /// The name of the session among those that share the log; empty for the first.
    private let instance: String
    /// The time at which the log starts, on the clock of the calls.
    private let origin: Duration
    /// The level of the app's information; nil if it names none.
    private var appLevel: LogLevel?
    /// Whether the user has opted out, as the log says so far.
    private var saysOptedOut = false

    /// Creates the log of a session.
    ///
    /// - Parameter place: the number of the session in the file, from 1, and the start of the file on the clock of the
    ///   calls.
    init(options: SessionOptions, at place: (number: Int, origin: Duration)) {
        optionLevel = options.log == nil ? nil : .debug
        // A replay writes a log only if it is asked for one.
        followsApp = options.replayedInstance == nil || options.log != nil
        if let replayed = options.replayedInstance {
            // The clock of a replay starts with the log.
            (instance, origin) = (replayed, .zero)
        } else {
            (instance, origin) = (place.number == 1 ? "" : String(place.number), place.origin)
        }
    }

    /// The level that applies; nil while the log is off.
    var level: LogLevel? { (followsApp ? appLevel : nil) ?? optionLevel }

    /// Adopts the level of the app's information.
    mutating func adopt(_ level: LogLevel?) { appLevel = level }

    /// Returns the line of a call, with its line end; empty if the level leaves it out.
    ///
    /// - Parameters:
    ///   - wasOptedOut: whether the user had opted out before the call.
    ///   - isOptedOut: whether the user has opted out after it.
    ///   - names: the standard names of the app's keys.
    mutating func line(
        _ call: SessionCall, _ result: CallResult, at time: Duration, wasOptedOut: Bool, isOptedOut: Bool,
        names: [String: String]
    ) -> [UInt8] {
        guard let level, level.includes(call, result) else { return [] }
        var writer = JSONWriter()
        writer.beginObject()
        let milliseconds = max(.zero, time - origin) / .milliseconds(1)
        writer.write("at", number: milliseconds.rounded() / 1_000)
        if !instance.isEmpty { writer.write("instance", instance) }
        writer.write("call", call.givenName)
        if wasOptedOut != saysOptedOut || wasOptedOut && call.invokedName == .initialize {
            writer.key("opted_out")
            writer.value(wasOptedOut)
        }
        writer.key("arguments")
        writer.beginArray()
        for (index, argument) in call.arguments.enumerated() {
            let shown = isOptedOut ? call.withoutValues(argument, at: index, names: names) : argument
            shown.write(to: &writer, maximumDepth: JSONReader.maximumDepth - 2)
        }
        writer.endArray()
        result.writeMembers(to: &writer, withValues: !isOptedOut)
        writer.endObject()
        writer.endLine()
        // A longer line cannot be replayed.
        guard writer.bytes.count <= CallLogReader.maximumLineByteCount else {
            return Array("# a call of \(writer.bytes.count) bytes is left out\n".utf8)
        }
        saysOptedOut = isOptedOut
        return writer.bytes
    }
}

extension SessionCall {
    /// Returns an argument with null in place of each value that is not the user's choice or the id of the app.
    fileprivate func withoutValues(
        _ value: MetadataValue, at index: Int, names: [String: String]
    ) -> MetadataValue {
        if name == .ggPM {
            if index > 0 { return ofBrowser.withoutValues(value, at: index - 1, names: names) }
            if ofBrowser.name != nil { return value }
        }
        if name == .userOptOut, case .text(let text) = value, OptOutChoice.isOut(address: text) != nil {
            return value
        }
        return Self.withoutValues(value.members.map { .object($0) } ?? value, names: names)
    }

    private static func withoutValues(_ value: MetadataValue, names: [String: String]) -> MetadataValue {
        switch value {
        case .object(let members):
            .object(
                members.map { member in
                    let isKept = isKept(member, names: names)
                    return MetadataValue.Member(
                        member.key, isKept ? member.value : withoutValues(member.value, names: names))
                })
        case .list(let elements): .list(elements.map { withoutValues($0, names: names) })
        case .null, .flag, .number, .text: .null
        }
    }

    private static func isKept(_ member: MetadataValue.Member, names: [String: String]) -> Bool {
        let key = member.key.lowercased()
        return switch names[key] ?? key {
        case "appid", "apid", "sfcode", "nol_devdebug", "nol_sdkdebug": member.value.scalarText != nil
        case "optout", "uoo", "useroptout":
            member.value.scalarText.flatMap { OptOutChoice.isOut(text: $0) } != nil
        default: false
        }
    }
}
