import StreamSynthesis
import Testing

/// A fault in a container, with the smallest stream that shows it.
struct FaultSubject: Sendable, CustomTestStringConvertible {
    let fault: SynthesisFault
    let container: SynthesisSettings.Container

    var testDescription: String { "\(fault.id) in \(container.rawValue)" }

    /// Every fault in every container that supports it.
    static let all: [FaultSubject] = SynthesisFault.allCases.flatMap { fault in
        SynthesisSettings.Container.allCases.compactMap { container in
            if let only = fault.container, only != container { return nil }
            if fault == .timeAudioSync, container == .packedAudio { return nil }
            return FaultSubject(fault: fault, container: container)
        }
    }

    /// All faults in a transport stream, and those that a stream of ten seconds shows in the other containers.
    ///
    /// Encoding audio takes a while, and the schedule of the tags is the same in every container.
    static let quick = all.filter { $0.container == .transportStream || $0.settings.duration <= 10 }

    /// Audio only, in two renditions if the fault is between renditions.
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

    /// The shortest tag interval at which only this fault occurs.
    private var tagInterval: Int {
        switch fault {
        case .sequenceStep, .timeGap, .timeOverlap, .tagCount, .infoLate: 10
        case .timeDuration: 5
        default: 2
        }
    }

    /// The index of the tag in the middle: after the INFO tag and half of the DATA tags.
    var target: Int { 1 + Int(settings.duration) / tagInterval / 2 }
}

extension SynthesisSettings {
    /// Returns settings with audio only, which is quick to synthesize and has the same tags.
    static func soundOnly(_ fault: SynthesisFault? = nil, duration: Double = 60) -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = duration
        settings.renditions = [.init(name: "audio", video: nil)]
        settings.fault = fault
        return settings
    }
}
