extension SynthesisSettings {
    /// Rejects invalid settings, so that later computations cannot overflow.
    func validate() throws(SynthesisError) {
        try check(
            duration.isFinite && duration > 0 && duration <= 48 * 3600, "duration",
            "must be above 0 and at most 48 hours")
        try check(
            segmentDuration.isFinite && segmentDuration >= 1 && segmentDuration <= 60, "segmentDuration",
            "must be 1 to 60 seconds")
        try check((1...12).contains(tagInterval), "tagInterval", "must be 1 to 12 seconds")
        try check(
            (2 * tagInterval...86_400).contains(infoInterval), "infoInterval",
            "must be at least two tag intervals and at most one day")
        try check(startPTS < 1 << 33, "startPTS", "must fit in 33 bits")
        try check(startTime <= UInt32.max - 3 * 86_400, "startTime", "must leave room for the stream")
        try check(
            startTime >= 86_400, "startTime", "must not be on the first day of 1970")
        if let programDateTime {
            try check(
                (0...253_402_000_000_000).contains(programDateTime), "programDateTime",
                "must be in the years 1970 to 9999")
        }
        try check(eventScheme.version <= 1, "eventScheme", "must have version 0 or 1")
        try check(!renditions.isEmpty && renditions.count <= 16, "renditions", "must be 1 to 16")
        try check(
            Set(renditions.map(\.name)).count == renditions.count, "renditions", "must have different names")
        for rendition in renditions { try validate(rendition) }
        if let fault { try validate(fault) }
    }

    private func validate(_ rendition: Rendition) throws(SynthesisError) {
        let isName = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        try check(
            (1...64).contains(rendition.name.utf8.count) && rendition.name.utf8.allSatisfy(isName),
            "renditions",
            "must have names of 1 to 64 letters, digits, '-' and '_'")
        guard let video = rendition.video else { return }
        try check(
            rendition.container != .packedAudio, "container",
            "packed-audio needs a rendition without video")
        try check(
            (160...1920).contains(video.width) && (90...1080).contains(video.height)
                && video.width.isMultiple(of: 2) && video.height.isMultiple(of: 2), "video",
            "must have an even width and height, from 160 by 90 to 1920 by 1080")
        try check(
            (20_000...50_000_000).contains(video.maximumBitrate), "video",
            "must have a bitrate of 20 kbit/s to 50 Mbit/s")
    }

    private func validate(_ fault: SynthesisFault) throws(SynthesisError) {
        let minimum = fault.minimumDuration(tagInterval: tagInterval)
        guard duration >= minimum else { throw .faultNeedsDuration(fault: fault, seconds: minimum) }
        let containers = Set(renditions.map(\.container))
        if let container = fault.container, containers != [container] {
            throw .faultNeeds(fault: fault, needs: "the container \(container.rawValue)")
        }
        switch fault {
        case .timeAudioSync where containers.contains(.packedAudio):
            // In this container, the time of a tag is only defined by the preceding audio.
            throw .faultNeeds(fault: fault, needs: "the container ts or fmp4")
        case .renditionTagsDiffer where renditions.count < 2,
            .renditionTimeDiffers where renditions.count < 2:
            throw .faultNeeds(fault: fault, needs: "two renditions")
        case .timeWallClock where programDateTime == nil:
            throw .faultNeeds(fault: fault, needs: "a program date-time")
        // With other intervals, the fault would cause the wrong finding: no gap, or an additional overlap or gap.
        case .sequenceStep where tagInterval < 10, .timeGap where tagInterval < 10:
            throw .faultNeeds(fault: fault, needs: "DATA tags of at least 10 seconds")
        case .timeDuration where tagInterval < 5:
            throw .faultNeeds(fault: fault, needs: "DATA tags of at least 5 seconds")
        case .timeOverlap where tagInterval > 11:
            throw .faultNeeds(fault: fault, needs: "DATA tags of at most 11 seconds")
        default: break
        }
    }

    private func check(_ holds: Bool, _ name: String, _ reason: String) throws(SynthesisError) {
        guard holds else { throw .setting(name: name, reason: reason) }
    }
}
