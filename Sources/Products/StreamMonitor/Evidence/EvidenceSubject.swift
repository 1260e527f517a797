import HLSInput

/// A channel whose evidence is saved.
struct EvidenceSubject: Sendable {
    /// The settings of the channel.
    let settings: ChannelSettings
    /// The input that fetches its playlists and segments.
    let input: LiveInput
    /// The media playlist that is followed; nil if none was found yet.
    let place: LiveRenditionPlace?
    /// The state and recent history of the channel.
    let details: ChannelDetails

    /// Returns the media playlist that is followed, or opens one that would be.
    func openPlace() async throws(InputError) -> LiveRenditionPlace {
        if let place { return place }
        let choice: RenditionChoice =
            if case .chosen(let choice) = settings.rendition { choice } else { .lowest }
        let places = try await input.open(choice)
        guard let first = places.first else { throw .empty(settings.url) }
        return first
    }
}
