/// Why a change of the channels was refused; nothing has changed then.
package enum ChannelChangeError: Error, Sendable, Hashable {
    /// There is no channel of that id.
    case unknown(id: String)
    /// There is a channel of that id already.
    case taken(id: String)
    /// What was sent does not describe a channel, or the channel file has a fault.
    case invalid(String)
    /// There is no channel file that could be read again.
    case noFile
    /// The change could not be kept over a restart.
    case unkept(reason: String)
}

extension ChannelChangeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let id): "there is no channel '\(id)'"
        case .taken(let id): "there is a channel '\(id)' already"
        case .invalid(let message): message
        case .noFile: "there is no channel file to read again"
        case .unkept(let reason): "the change cannot be kept: \(reason)"
        }
    }
}
