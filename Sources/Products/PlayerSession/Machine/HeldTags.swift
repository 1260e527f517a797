import NielsenID3

/// The stored tags that wait for the playhead to reach their media time, in order of arrival.
struct HeldTags: Sendable, Hashable {
    /// The maximum number of held tags; players hand tags over less than a minute early, which is six tags.
    static let maximumCount = 1_000

    private(set) var tags: [KeptTag] = []

    var count: Int { tags.count }

    /// Adds a tag; returns the oldest one if there is no room for it any more.
    mutating func add(_ tag: KeptTag) -> KeptTag? {
        tags.append(tag)
        return tags.count > Self.maximumCount ? tags.removeFirst() : nil
    }

    /// Removes and returns the tags whose media time the playhead has reached.
    mutating func takePresented(at playhead: Double) -> [KeptTag] {
        let presented = tags.filter { $0.mediaTime <= playhead }
        if !presented.isEmpty { tags.removeAll { $0.mediaTime <= playhead } }
        return presented
    }

    /// Removes and returns all tags.
    mutating func takeAll() -> [KeptTag] {
        defer { tags.removeAll() }
        return tags
    }
}

extension KeptTag {
    /// The playhead at which the tag is presented.
    fileprivate var mediaTime: Double {
        guard case .session(let session, _) = occurrence.origin else { return 0 }
        return session.mediaTime ?? 0
    }

    /// Returns the tag as no longer held, and as presented or not.
    func released(isPresented: Bool) -> KeptTag {
        var tag = self
        tag.isHeld = false
        if case .session(var session, let place) = occurrence.origin {
            session.isPresented = isPresented
            tag.occurrence.origin = .session(session, place)
        }
        return tag
    }
}
