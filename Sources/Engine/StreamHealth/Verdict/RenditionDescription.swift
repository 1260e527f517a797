/// One media playlist of an input, with its role in the presentation.
package struct RenditionDescription: Sendable, Hashable {
    /// The URI as written in the multivariant playlist; nil without one.
    package var name: String?
    /// The role in the presentation.
    package var role: Role

    /// Creates a description.
    package init(name: String?, role: Role = .complete) {
        self.name = name
        self.role = role
    }

    /// The role of a rendition in the presentation.
    package enum Role: Sendable, Hashable {
        /// A rendition with its own audio, or the only rendition: a unit by itself.
        case complete
        /// A variant without its own audio, which forms a unit with the default audio of its group.
        ///
        /// `audio` is the index of that audio in the list, or nil when it is not read.
        case video(audio: Int?)
        /// The default audio of a group, checked with the variants that name it, or alone if none does.
        case defaultAudio
        /// Another language, I-frames or subtitles, which need no tags and are not compared.
        ///
        /// Tags found in them are still checked.
        case other
    }
}

extension [RenditionDescription] {
    /// The units, as indices in the list: the renditions of a unit together must carry every tag.
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
