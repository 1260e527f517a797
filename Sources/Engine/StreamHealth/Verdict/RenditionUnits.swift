import TimedMedia

/// What the renditions of a presentation are to each other: which carry its tags together, and which do so alone.
///
/// Each variant must carry every tag, or its sound where that is a rendition of its own: a variant whose segments
/// have no audio is one unit with the default audio of its group. Playlists do not tell which variants those are
/// (CODECS names the codecs of the group too), so that the first segments decide.
struct RenditionUnits {
    private let names: [String?]
    /// The default audio that each rendition names, where that is read too.
    private let audio: [Int?]
    private let namesAudio: [Bool]
    /// Whether each rendition has audio of its own; nil while that is not known.
    private var hasAudio: [Bool?]
    private var hasEnded: [Bool]

    /// The renditions of a presentation, of which nothing was read yet: their URIs, and those of the default audio of
    /// each one's group.
    init(names: [String?], audio: [String?]) {
        self.names = names
        let named = zip(names, audio).map { name, audio in audio == name ? nil : audio }
        namesAudio = named.map { $0 != nil }
        self.audio = named.map { name in name.flatMap { names.firstIndex(of: $0) } }
        hasAudio = names.map { _ in nil }
        hasEnded = names.map { _ in false }
    }

    /// Notes what the container of one more segment of a rendition says.
    mutating func observe(_ facts: CarriageFacts?, rendition: Int, isLast: Bool) {
        hasAudio[rendition] = hasAudio[rendition] ?? facts?.hasAudio
        if isLast { hasEnded[rendition] = true }
    }

    /// Whether it is known of every rendition what it is to the others.
    var isSettled: Bool {
        names.indices.allSatisfy { !namesAudio[$0] || hasAudio[$0] != nil || hasEnded[$0] }
    }

    /// What each rendition is to the presentation; a variant that did not tell counts together with its audio.
    var descriptions: [RenditionDescription] {
        let isPart = names.indices.map { namesAudio[$0] && hasAudio[$0] != true }
        // Audio that completes variants without any need not carry what comes with their pictures. Where a variant
        // with audio of its own names it too, it must carry all.
        let completing = Set(names.indices.compactMap { isPart[$0] ? audio[$0] : nil })
        let standing = Set(names.indices.compactMap { isPart[$0] ? nil : audio[$0] })
        return names.indices.map { index in
            if isPart[index] { return .init(name: names[index], role: .video(audio: audio[index])) }
            let isPartOnly = completing.contains(index) && !standing.contains(index)
            return .init(name: names[index], role: isPartOnly ? .defaultAudio : .complete)
        }
    }
}
