/// One media playlist of an input, and what it is to the programme.
package struct RenditionDescription: Sendable, Hashable {
    /// Its URI as its multivariant playlist has it; nil without one.
    package var name: String?
    /// What it is to the programme.
    package var role: Role

    /// A rendition.
    package init(name: String?, role: Role = .programme) {
        self.name = name
        self.role = role
    }

    /// What a rendition is to the programme.
    package enum Role: Sendable, Hashable {
        /// Audio of its own, or the only rendition: a programme by itself.
        case programme
        /// A variant without audio of its own, with the place in the list of the default audio of its group (nil
        /// where that is not read): the two are one programme.
        case video(audio: Int?)
        /// The default audio of a group: judged with the variants that name it, by itself where none does.
        case defaultAudio
        /// Another language, I-frames or subtitles: it needs no tags, and is compared with nothing; those that it
        /// has are judged.
        case other
    }
}

extension [RenditionDescription] {
    /// The renditions that form a programme together, each of which must have every tag, by their places in the list.
    var programmes: [[Int]] {
        var taken: Set<Int> = []
        var programmes: [[Int]] = []
        for (index, description) in enumerated() {
            switch description.role {
            case .programme: programmes.append([index])
            case .video(let audio):
                if let audio, indices.contains(audio), audio != index {
                    taken.insert(audio)
                    programmes.append([index, audio])
                } else {
                    programmes.append([index])
                }
            case .defaultAudio, .other: break
            }
        }
        for (index, description) in enumerated()
        where description.role == .defaultAudio && !taken.contains(index) {
            programmes.append([index])
        }
        return programmes
    }
}
