import HLSInput

/// A channel of which evidence is kept.
struct EvidenceSubject: Sendable {
    /// The channel.
    let settings: ChannelSettings
    /// How its playlists and segments are fetched.
    let input: LiveInput
    /// The media playlist that is followed; nil before one was found.
    let place: LiveRenditionPlace?
    /// What is known of it.
    let details: ChannelDetails

    /// The media playlist that is followed, or one that would be.
    func openPlace() async throws(InputError) -> LiveRenditionPlace {
        if let place { return place }
        let choice: RenditionChoice =
            if case .chosen(let choice) = settings.rendition { choice } else { .lowest }
        let places = try await input.open(choice)
        guard let first = places.first else { throw .empty(settings.url) }
        return first
    }
}
