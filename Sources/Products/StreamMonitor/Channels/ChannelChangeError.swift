/// The reason why a change of the channels was refused; the channels stay unchanged.
package enum ChannelChangeError: Error, Sendable, Hashable {
    /// No channel has this id.
    case unknown(id: String)
    /// A channel with this id already exists.
    case taken(id: String)
    /// The request body does not describe a channel, or the channel file has an error.
    case invalid(String)
    /// There is no channel file to reload.
    case noFile
    /// The change could not be saved for the next start.
    case unkept(reason: String)
}

extension ChannelChangeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let id): "there is no channel '\(id)'"
        case .taken(let id): "the channel '\(id)' already exists"
        case .invalid(let message): message
        case .noFile: "there is no channel file to reload"
        case .unkept(let reason): "the change cannot be saved: \(reason)"
        }
    }
}
