package import HTTPServing

/// Why no stream was made.
package enum SynthesisError: Error, Sendable, Hashable {
    /// A setting has no sense, or none together with another one.
    case setting(name: String, reason: String)

    /// No fault has this id; `SynthesisFault.allCases` are those there are.
    case unknownFault(id: String)

    /// The fault cannot show in a stream as short as this.
    case faultNeedsDuration(fault: SynthesisFault, seconds: Double)

    /// The fault belongs to something that the settings leave out; `needs` says what.
    case faultNeeds(fault: SynthesisFault, needs: String)

    /// The directory holds files that are not an earlier output.
    case directoryInUse(path: String)

    /// A file or directory could not be read, made or removed; `code` is `errno`.
    case file(path: String, operation: String, code: Int32)

    /// The installed libavcodec has no encoder of this name.
    case encoderMissing(name: String)

    /// The installed libavformat has no muxer of this name.
    case muxerMissing(name: String)

    /// A function of libav* failed; `code` is what it returned.
    case library(function: String, code: Int32, message: String)

    /// What a library wrote is not what it is documented to write; `rule` says where.
    case unexpectedOutput(rule: String)

    /// A line of a script of live faults is wrong, at a column counted from 1.
    case script(line: Int, column: Int, message: String)

    /// The server of live channels does not start.
    case notServing(HTTPServingError)

    /// The task was cancelled; what was made is removed.
    case cancelled
}

extension SynthesisError: CustomStringConvertible {
    /// One sentence for a person.
    package var description: String {
        switch self {
        case .setting(let name, let reason): "the setting \(name) \(reason)"
        case .unknownFault(let id): "no fault has the id \"\(id)\"; 'list' prints those there are"
        case .faultNeedsDuration(let fault, let seconds):
            "the fault \(fault.id) needs a stream of at least \(Int(seconds.rounded(.up))) seconds"
        case .faultNeeds(let fault, let needs): "the fault \(fault.id) needs \(needs)"
        case .directoryInUse(let path): "\(path) is not empty and holds no earlier output"
        case .file(let path, let operation, let code): "\(path): \(operation) failed with error \(code)"
        case .encoderMissing(let name): "libavcodec has no encoder \"\(name)\""
        case .muxerMissing(let name): "libavformat has no muxer \"\(name)\""
        case .library(let function, let code, let message): "\(function): \(message) (\(code))"
        case .unexpectedOutput(let rule): "libavformat wrote something unexpected: \(rule)"
        case .script(let line, let column, let message): "line \(line), column \(column): \(message)"
        case .notServing(let error): error.description
        case .cancelled: "the stream was not made to its end"
        }
    }
}
