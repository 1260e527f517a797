/// One media playlist of an input, and what it is to the presentation.
package struct RenditionDescription: Sendable, Hashable {
    /// Its URI as its multivariant playlist has it; nil without one.
    package var name: String?
    /// What it is to the presentation.
    package var role: Role

    /// A rendition.
    package init(name: String?, role: Role = .complete) {
        self.name = name
        self.role = role
    }

    /// What a rendition is to the presentation.
    package enum Role: Sendable, Hashable {
        /// Audio of its own, or the only rendition: a unit by itself.
        case complete
        /// A variant without audio of its own, with the place in the list of the default audio of its group (nil
        /// where that is not read): the two are one unit.
        case video(audio: Int?)
        /// The default audio of a group: checked with the variants that name it, by itself where none does.
        case defaultAudio
        /// Another language, I-frames or subtitles: it needs no tags, and is compared with nothing; those that it
        /// has are finished.
        case other
    }
}

extension [RenditionDescription] {
    /// The renditions that form a unit together, each of which must have every tag, by their places in the list.
    var units: [[Int]] {
        var taken: Set<Int> = []
        var units: [[Int]] = []
        for (index, description) in enumerated() {
            switch description.role {
            case .complete: units.append([index])
            case .video(let audio):
                if let audio, indices.contains(audio), audio != index {
                    taken.insert(audio)
                    units.append([index, audio])
                } else {
                    units.append([index])
                }
            case .defaultAudio, .other: break
            }
        }
        for (index, description) in enumerated()
        where description.role == .defaultAudio && !taken.contains(index) {
            units.append([index])
        }
        return units
    }
}
