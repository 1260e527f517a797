/// The calls that a player makes, by the names of the guides.
public enum CallName: String, Sendable, Hashable, CaseIterable {
    /// Begins the work with what the app says of itself.
    case initialize = "init"
    /// A channel is played.
    case play
    /// An asset begins.
    case loadMetadata
    /// A tag is handed over.
    case sendID3
    /// Where playback is.
    case playheadPosition
    /// Where playback is, by its other name.
    case setPlayheadPosition
    /// Playback stands still.
    case pause
    /// Playback is interrupted, or an advertisement is over.
    case stop
    /// The content is over.
    case end
    /// A page is shown.
    case staticStart
    /// The page is left.
    case staticEnd
    /// What is played is corrected.
    case updateMetadata
    /// How loud it is.
    case setVolume
    /// Whether it is muted.
    case setMute
    /// Measurement is switched off, or on again.
    case appDisableApi
    /// The choice of the user.
    case userOptOut
    /// Asks for the choice of the user.
    case optOutStatus
    /// Asks for the page where users choose.
    case optOutURL
    /// What the picture is shown on.
    case updateOTT
    /// How much of the picture is seen.
    case trackViewability
    /// The app is no longer seen.
    case appInBackground
    /// The app is seen again.
    case appInForeground
    /// An event of the page or the app.
    case processEvent
    /// Asks for the last event or error.
    case getLastEvent
    /// Asks for the last event.
    case getLastOccurredEvent
    /// Asks for the last error.
    case getLastOccurredError
    /// Asks for the version of the library.
    case getMeterVersion
    /// Asks for the id of the device.
    case deviceId
    /// Asks for the first-party id.
    case firstPartyId
    /// The work ends.
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
