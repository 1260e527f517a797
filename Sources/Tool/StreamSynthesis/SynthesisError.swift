package import HTTPServing
import TextForms

/// A reason why a stream could not be created.
package enum SynthesisError: Error, Sendable, Hashable {
    /// A setting is invalid, alone or in combination with another one.
    case setting(name: String, reason: String)

    /// No fault has this ID; see `SynthesisFault.allCases`.
    case unknownFault(id: String)

    /// The stream is too short for the fault.
    case faultNeedsDuration(fault: SynthesisFault, seconds: Double)

    /// The fault requires a feature that the settings omit, described by `needs`.
    case faultNeeds(fault: SynthesisFault, needs: String)

    /// The directory contains files that are not an earlier output.
    case directoryInUse(path: String)

    /// A file or directory could not be read, created or removed; `code` is `errno`.
    case file(path: String, operation: String, code: Int32)

    /// The library is not installed, or has another version than at the build.
    case missingLibrary(name: String)

    /// The installed libavcodec has no encoder with this name.
    case encoderMissing(name: String)

    /// The installed libavformat has no muxer with this name.
    case muxerMissing(name: String)

    /// A libav* function failed; `code` is its return value.
    case library(function: String, code: Int32, message: String)

    /// The output of a library violates its documentation; `rule` is the violated assumption.
    case unexpectedOutput(rule: String)

    /// A line of a live fault script is invalid at this column, counted from 1.
    case script(line: Int, column: Int, message: String)

    /// The server for live channels failed to start.
    case notServing(HTTPServingError)

    /// The task was canceled, and its output was removed.
    case cancelled
}

extension SynthesisError: CustomStringConvertible {
    /// A message of one line for the user.
    package var description: String {
        switch self {
        case .setting(let name, let reason): "the setting \(name) \(reason)"
        case .unknownFault(let id): "unknown fault \"\(id)\"; 'list' prints all faults"
        case .faultNeedsDuration(let fault, let seconds):
            "the fault \(fault.id) needs a stream of at least \(DecimalText.count(Int(seconds.rounded(.up)), "second"))"
        case .faultNeeds(let fault, let needs): "the fault \(fault.id) needs \(needs)"
        case .directoryInUse(let path): "\(path) is not empty and contains no earlier output"
        case .file(let path, let operation, let code): "\(path): \(operation) failed with error \(code)"
        case .missingLibrary(let name): "the library \(name) is not installed"
        case .encoderMissing(let name): "libavcodec has no encoder \"\(name)\""
        case .muxerMissing(let name): "libavformat has no muxer \"\(name)\""
        case .library(let function, let code, let message): "\(function): \(message) (\(code))"
        case .unexpectedOutput(let rule): "unexpected output of libavformat: \(rule)"
        case .script(let line, let column, let message): "line \(line), column \(column): \(message)"
        case .notServing(let error): error.description
        case .cancelled: "the stream was not completed"
        }
    }
}
