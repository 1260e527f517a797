/// The last known state of the device: the volume, and the screen that shows the picture.
struct DeviceStatus: Sendable {
    /// A change of the state.
    enum Change: Sendable, Hashable {
        /// The volume, from 0 to 100.
        case volume(Double)
        /// Whether the sound is muted.
        case mute(Bool)
        /// The screen, as `updateOTT` or `ottData` described it.
        case screen(Metadata)
    }

    private static let volumeSource = GuideSource(.simplified, "Data collected").description

    private var volume: Double?
    private var isMuted: Bool?
    private var screen: Metadata?

    /// All known parts of the state, as changes from an unknown one.
    var changes: [Change] {
        [volume.map(Change.volume), isMuted.map(Change.mute), screen.map(Change.screen)].compactMap(\.self)
    }

    /// Applies a change; returns whether it changed anything.
    mutating func apply(_ change: Change) -> Bool {
        switch change {
        case .volume(let percent):
            defer { volume = percent }
            return volume != percent
        case .mute(let isMuted):
            defer { self.isMuted = isMuted }
            return self.isMuted != isMuted
        case .screen(let screen):
            defer { self.screen = screen }
            return !(self.screen?.says(the: screen) ?? false)
        }
    }

    /// Returns the volume of a call, which guide 003 ("Data Collected", `inau`) limits to 0 to 100; nil if it is
    /// invalid, with a finding.
    static func volume(_ value: MetadataValue?, _ step: inout SessionStep) -> Change? {
        guard let percent = value?.finiteNumber else {
            step.find(.valueType, value: value, expected: "a number")
            return nil
        }
        guard (0...100).contains(percent) else {
            step.find(.keyValue, value: value, expected: "0 to 100", source: volumeSource)
            return nil
        }
        // Some players report a share of 1.
        if percent > 0, percent < 1 {
            step.find(.keyValue, value: value, expected: "percent, 0 to 100", source: volumeSource)
        }
        return .volume(percent)
    }

    /// Returns whether a call mutes the sound; nil if it is invalid, with a finding.
    static func mute(_ value: MetadataValue?, _ step: inout SessionStep) -> Change? {
        guard let isMuted = value?.isOn else {
            step.find(.valueType, value: value, expected: "true or false")
            return nil
        }
        return .mute(isMuted)
    }

    /// Returns the screen of a call; nil if it is not an object, with a finding.
    ///
    /// Values that the guides do not list are findings, and are kept.
    static func screen(_ value: MetadataValue?, _ step: inout SessionStep) -> Change? {
        guard let screen = step.metadata(value) else {
            step.find(.valueType, value: value, expected: "an object")
            return nil
        }
        step.validate(screen: screen)
        return .screen(screen)
    }
}
