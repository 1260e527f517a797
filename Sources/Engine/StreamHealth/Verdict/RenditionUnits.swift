import ID3v2

/// Determines which renditions of a presentation carry its tags together, and which carry them alone.
///
/// Each variant must carry every tag, either itself or in a separate audio rendition. A variant whose segments have no
/// audio forms a unit with the default audio of its group. Playlists do not identify these variants, because CODECS
/// also names the codecs of the group. The first segments decide.
struct RenditionUnits {
    private let names: [String?]
    /// The index of the default audio that each rendition names; nil when it is not read.
    private let audio: [Int?]
    private let namesAudio: [Bool]
    /// Whether each rendition has its own audio; nil while unknown.
    private var hasAudio: [Bool?]
    private var hasEnded: [Bool]

    /// Creates the units of unread renditions from their names and the names of their groups' default audio.
    init(names: [String?], audio: [String?]) {
        self.names = names
        let named = zip(names, audio).map { name, audio in audio == name ? nil : audio }
        namesAudio = named.map { $0 != nil }
        self.audio = named.map { name in name.flatMap { names.firstIndex(of: $0) } }
        hasAudio = names.map { _ in nil }
        hasEnded = names.map { _ in false }
    }

    /// Records the container facts of a rendition's next segment.
    mutating func observe(_ facts: CarriageFacts?, rendition: Int, isLast: Bool) {
        hasAudio[rendition] = hasAudio[rendition] ?? facts?.hasAudio
        if isLast { hasEnded[rendition] = true }
    }

    /// Whether the role of every rendition is known.
    var isSettled: Bool {
        names.indices.allSatisfy { !namesAudio[$0] || hasAudio[$0] != nil || hasEnded[$0] }
    }

    /// The units, as indices of renditions: the renditions of a unit together must carry every tag.
    ///
    /// A variant that may have no audio forms a unit with its audio.
    var units: [[Int]] {
        let isPart = names.indices.map { namesAudio[$0] && hasAudio[$0] != true }
        // Audio that only completes variants without audio need not carry the tags in their video. If a variant with
        // its own audio also names it, it must carry every tag.
        let completing = Set(names.indices.compactMap { isPart[$0] ? audio[$0] : nil })
        let standing = Set(names.indices.compactMap { isPart[$0] ? nil : audio[$0] })
        return names.indices.compactMap { index in
            if isPart[index] { return [index] + (audio[index].map { [$0] } ?? []) }
            return completing.contains(index) && !standing.contains(index) ? nil : [index]
        }
    }
}
