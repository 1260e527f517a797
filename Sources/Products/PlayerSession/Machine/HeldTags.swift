import NielsenID3

/// The kept tags that wait for the playhead to reach their media time, in the order in which they came.
struct HeldTags: Sendable, Hashable {
    /// How many may wait; players hand tags over less than a minute early, which is six of them.
    static let maximumCount = 1_000

    private(set) var tags: [KeptTag] = []

    var count: Int { tags.count }

    /// Adds a tag, and gives back the one for which there is no room any more.
    mutating func add(_ tag: KeptTag) -> KeptTag? {
        tags.append(tag)
        return tags.count > Self.maximumCount ? tags.removeFirst() : nil
    }

    /// Takes out those whose media time the playhead has reached.
    mutating func takePresented(at playhead: Double) -> [KeptTag] {
        let presented = tags.filter { $0.mediaTime <= playhead }
        if !presented.isEmpty { tags.removeAll { $0.mediaTime <= playhead } }
        return presented
    }

    /// Takes out all.
    mutating func takeAll() -> [KeptTag] {
        defer { tags.removeAll() }
        return tags
    }
}

extension KeptTag {
    /// The playhead at which it is presented.
    fileprivate var mediaTime: Double {
        guard case .session(let session, _) = occurrence.origin else { return 0 }
        return session.mediaTime ?? 0
    }

    /// The tag, no longer held, and presented or not.
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
