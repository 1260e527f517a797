/// The calls that a player makes, by the names of the guides.
public enum CallName: String, Sendable, Hashable, CaseIterable {
    /// Begins the work with what the app says of itself.
    case initialize = "init"
    case play
    case loadMetadata
    case sendID3
    case playheadPosition
    case setPlayheadPosition
    case pause
    case stop
    case end
    case staticStart
    case staticEnd
    case updateMetadata
    case setVolume
    case setMute
    case appDisableApi
    case userOptOut
    case optOutStatus
    case optOutURL
    case updateOTT
    case trackViewability
    case appInBackground
    case appInForeground
    case processEvent
    case getLastEvent
    case getLastOccurredEvent
    case getLastOccurredError
    case getMeterVersion
    case deviceId
    case firstPartyId
    case free
    /// The Simplified API: one object for everything.
    case trackEvent
    /// The browser's form: the name of a call, then what it takes.
    case ggPM

    /// The call of a name, without regard to case; nil where there is none.
    public init?(name: String) {
        guard let known = Self.names[name.lowercased()] else { return nil }
        self = known
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

    /// The call of a number of the browser's form; nil where there is none.
    init?(browserNumber: Double) {
        switch browserNumber {
        case 3, 15: self = .loadMetadata
        case 7: self = .stop
        case 49: self = .setPlayheadPosition
        case 57: self = .end
        default: return nil
        }
    }
}
