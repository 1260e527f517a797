import ID3v2

/// Segments without tags.
enum ObservedSegmentSample {
    /// A segment of six seconds that was read.
    static func audio(at position: Double) -> ObservedSegment {
        var facts = CarriageFacts()
        facts.container = .packedAudio(.aac)
        return ObservedSegment(name: "a\(Int(position)).aac", duration: 6, position: position, facts: facts)
    }

    /// A segment of six seconds that could not be read.
    static func unread(at position: Double) -> ObservedSegment {
        ObservedSegment(name: "seg\(Int(position)).ts", duration: 6, position: position)
    }
}
