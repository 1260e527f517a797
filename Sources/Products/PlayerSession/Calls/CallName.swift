/// The calls of a player, named as in the guides.
public enum CallName: String, Sendable, Hashable, CaseIterable {
    /// Initializes the session with the app's information.
    case initialize = "init"
    /// Starts a viewing session of a channel.
    case play
    /// Describes the asset that plays from now on.
    case loadMetadata
    /// Hands over a tag.
    case sendID3
    /// Reports the playback position.
    case playheadPosition
    /// Reports the playback position, under its other name.
    case setPlayheadPosition
    /// Reports that playback is paused.
    case pause
    /// Reports that playback is interrupted, or an advertisement is over.
    case stop
    /// Reports that the content is over.
    case end
    /// Describes a page that is shown.
    case staticStart
    /// Reports that the user has left the page.
    case staticEnd
    /// Corrects the metadata of the current asset.
    case updateMetadata
    /// Reports the volume.
    case setVolume
    /// Reports whether the sound is muted.
    case setMute
    /// Disables measurement, or enables it again.
    case appDisableApi
    /// Applies the choice of the user.
    case userOptOut
    /// Returns whether the user has opted out.
    case optOutStatus
    /// Returns the address of the opt-out page.
    case optOutURL
    /// Describes the device that shows the picture.
    case updateOTT
    /// Reports how much of the picture is visible.
    case trackViewability
    /// Reports that the app is in the background.
    case appInBackground
    /// Reports that the app is in the foreground again.
    case appInForeground
    /// Registers the app with the lifecycle of Android, which has no effect here.
    case registerLifeCycleObserver
    /// Reports an event of the page or the app.
    case processEvent
    /// Returns the last event or error.
    case getLastEvent
    /// Returns the last event.
    case getLastOccurredEvent
    /// Returns the last error.
    case getLastOccurredError
    /// Returns the version of the library.
    case getMeterVersion
    /// Returns the id of the device.
    case deviceId
    /// Returns the first-party id.
    case firstPartyId
    /// Shuts the session down.
    case free
    /// Makes the only call of the Simplified API: one object for everything.
    case trackEvent
    /// Makes a call in the browser's form: the name of a call, then its argument.
    case ggPM

    /// Finds the call with a name, without regard to case; nil if there is none.
    public init?(name: String) {
        guard let known = Self.names[name] ?? Self.names[name.lowercased()] else { return nil }
        self = known
    }

    /// The calls by their names in lower case, and as the guides spell them.
    private static let names = Dictionary(
        allCases.flatMap { [($0.rawValue, $0), ($0.rawValue.lowercased(), $0)] }
            + [
                // The other names of the guides: 002, 5.4, and the Android guides.
                ("initwithappinfo", .initialize), ("optouturlstring", .optOutURL),
                ("useroptouturlstring", .optOutURL), ("getoptoutstatus", .optOutStatus),
                // The browser's (guide 000, "DCR Italy Audio Browser", "Create SDK instance").
                ("nlsq", .initialize),
            ], uniquingKeysWith: { first, _ in first })

    /// Finds the call with a number of the browser's form; nil if there is none.
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

extension CallName {
    /// Whether the call shows which interface the player uses.
    var showsInterface: Bool {
        switch self {
        case .play, .loadMetadata, .staticStart, .sendID3, .trackEvent: true
        default: false
        }
    }

    /// Whether the call only asks for something.
    package var isQuestion: Bool {
        switch self {
        case .optOutStatus, .optOutURL, .getLastEvent, .getLastOccurredEvent, .getLastOccurredError,
            .getMeterVersion, .deviceId, .firstPartyId:
            true
        default: false
        }
    }

    /// Whether the call says something about playback, other than a tag.
    var hasContent: Bool {
        switch self {
        case .play, .loadMetadata, .staticStart, .updateMetadata, .playheadPosition, .setPlayheadPosition,
            .pause,
            .stop, .setVolume, .setMute, .updateOTT, .trackViewability, .trackEvent:
            true
        default: false
        }
    }

    /// Whether a disabled session still handles the call.
    ///
    /// Calls with a tag are handled, to count the tag.
    var isHandledWhileDisabled: Bool {
        switch self {
        case .initialize, .appDisableApi, .free, .userOptOut, .sendID3, .trackEvent, .ggPM, .optOutStatus,
            .optOutURL, .getLastEvent, .getLastOccurredEvent, .getLastOccurredError, .getMeterVersion,
            .deviceId, .firstPartyId:
            true
        default: false
        }
    }
}
