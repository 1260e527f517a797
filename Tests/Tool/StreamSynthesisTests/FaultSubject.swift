import StreamSynthesis
import Testing

/// A fault in a container, with the smallest stream in which it shows.
struct FaultSubject: Sendable, CustomTestStringConvertible {
    let fault: SynthesisFault
    let container: SynthesisSettings.Container

    var testDescription: String { "\(fault.id) in \(container.rawValue)" }

    /// Every fault in every container that it can be made in.
    static let all: [FaultSubject] = SynthesisFault.allCases.flatMap { fault in
        SynthesisSettings.Container.allCases.compactMap { container in
            if let only = fault.container, only != container { return nil }
            if fault == .timeAudioSync, container == .packedAudio { return nil }
            return FaultSubject(fault: fault, container: container)
        }
    }

    /// All in a transport stream, and those that show in ten seconds in the others.
    ///
    /// Sound takes a while to code, and which tag is due when is the same in every container.
    static let quick = all.filter { $0.container == .transportStream || $0.settings.duration <= 10 }

    /// Sound alone, in two renditions where the fault is between them.
    var settings: SynthesisSettings {
        var settings = SynthesisSettings()
        settings.tagInterval = tagInterval
        settings.duration = max(10, fault.minimumDuration(tagInterval: tagInterval))
        settings.renditions = [.init(name: "first", video: nil), .init(name: "last", video: nil)]
        if !isOfRenditions { settings.renditions.removeFirst() }
        settings.use(container)
        settings.fault = fault
        return settings
    }

    var isOfRenditions: Bool { [.renditionTagsDiffer, .renditionTimeDiffers].contains(fault) }

    /// The shortest tags with which the fault is that fault.
    private var tagInterval: Int {
        switch fault {
        case .sequenceStep, .timeGap, .timeOverlap, .tagCount, .infoLate: 10
        case .timeDuration: 5
        default: 2
        }
    }

    /// Where the tag in the middle stands: behind the INFO tag and half of the DATA tags.
    var target: Int { 1 + Int(settings.duration) / tagInterval / 2 }
}
