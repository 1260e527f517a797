import ByteReading
package import ID3v2

extension NielsenTag {
    /// The Nielsen tag in the bytes of an ID3 tag.
    ///
    /// Nil where they are no ID3 tag, or one without a private frame whose owner identifier begins
    /// `www.nielsen.com/`. Damage makes no tag nil: the fields say what is left.
    public init?(tagBytes: Span<UInt8>) {
        if let tag = NielsenTag(exact: tagBytes) {
            self = tag
            return
        }
        do throws(ID3Error) {
            self.init(tag: try ID3Tag(tagBytes))
        } catch {
            return nil
        }
    }

    /// The Nielsen tag in an ID3 tag, that of the first Nielsen frame; nil where there is none.
    package init?(tag: borrowing ID3Tag) {
        var walk = NielsenFrameWalk(tag)
        guard let first = walk.next() else { return nil }
        self.init(ownerIdentifier: first, pieces: OwnerIdentifier(first.span), envelope: walk.finish())
    }

    /// The Nielsen tags of all Nielsen frames in an ID3 tag, of which a valid tag has one.
    package static func all(in tag: borrowing ID3Tag) -> [NielsenTag] {
        var walk = NielsenFrameWalk(tag)
        var owners: [[UInt8]] = []
        while let owner = walk.next() { owners.append(owner) }
        let envelope = walk.finish()
        return owners.map {
            NielsenTag(ownerIdentifier: $0, pieces: OwnerIdentifier($0.span), envelope: envelope)
        }
    }

    /// The Nielsen tag of an owner identifier by itself, as a player or a person has it.
    ///
    /// Blanks and line ends are what a document or a terminal put into it: they are left out, and counted in
    /// `removedBlankCount`. Nil where the rest does not begin `www.nielsen.com/`.
    public init?(ownerIdentifier text: Span<UInt8>) {
        // One without a defect has no blanks.
        if let pieces = OwnerIdentifier(valid: text) {
            self.init(ownerIdentifier: text.copy(), pieces: pieces, envelope: Envelope())
            return
        }
        var owner: [UInt8] = []
        owner.reserveCapacity(text.count)
        for position in text.indices where !Self.isBlank(text[position]) { owner.append(text[position]) }
        guard OwnerIdentifier.isNielsen(owner.span) else { return nil }
        let pieces = OwnerIdentifier(owner.span)
        self.init(
            ownerIdentifier: owner, pieces: pieces, envelope: Envelope(),
            removedBlankCount: text.count - owner.count)
    }

    /// The Nielsen tag of an owner identifier as a player handed it over, of which nothing is left out.
    ///
    /// Nil where it does not begin `www.nielsen.com/`.
    package init?(playerIdentifier text: Span<UInt8>) {
        guard OwnerIdentifier.isNielsen(text) else { return nil }
        self.init(ownerIdentifier: text.copy(), pieces: OwnerIdentifier(text), envelope: Envelope())
    }

    /// The tag of 271 bytes that are all where they belong, of which only the values may be invalid; nil for all others.
    ///
    /// The general way gives the same for them, more slowly.
    @inline(__always)
    init?(exact bytes: Span<UInt8>) {
        guard bytes.count == Envelope.tagLength, Envelope.hasHeader(bytes), Envelope.hasTail(bytes) else {
            return nil
        }
        let owner = bytes.extracting(Envelope.ownerRange)
        guard let pieces = OwnerIdentifier(valid: owner) else { return nil }
        self.init(ownerIdentifier: owner.copy(), pieces: pieces, envelope: Envelope())
    }

    /// Space, tab, and the ends of lines and pages.
    private static func isBlank(_ character: UInt8) -> Bool {
        character == 0x20 || 0x09...0x0D ~= character
    }
}

/// A walk over the Nielsen frames of a tag that notes what is wrong on the way.
private struct NielsenFrameWalk: ~Escapable {
    private var frames: ID3FrameCursor
    private var envelope: Envelope
    private var scratch: [UInt8] = []

    @_lifetime(copy tag)
    init(_ tag: borrowing ID3Tag) {
        frames = tag.frames
        envelope = Envelope(of: tag)
    }

    /// The owner identifier of the next Nielsen frame.
    @_lifetime(self: copy self)
    mutating func next() -> [UInt8]? {
        while let frame = nextFrame() {
            guard frame.id == .priv else { continue }
            if let content = frame.privateFrame {
                if let owner = decode(content) { return owner }
                continue
            }
            do throws(ID3Error) {
                let deviations = try frame.decodeContent(into: &scratch)
                let content = scratch
                guard let owner = decode(PrivateFrame(content: content.span)) else { continue }
                envelope.record(deviations)
                return owner
            } catch {
                // Whose frame it is cannot be told; if the tag has a Nielsen frame too, it is damaged.
                envelope.record(error)
            }
        }
        return nil
    }

    /// What is wrong with the tag, once the walk has gone to its end.
    @_lifetime(self: copy self)
    mutating func finish() -> Envelope {
        while nextFrame() != nil {}
        return envelope
    }

    /// The next frame, defects passed over.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    private mutating func nextFrame() -> ID3Frame? {
        while true {
            if let frame = frames.next() { return frame }
            guard let defect = frames.defect else { return nil }
            envelope.record(defect)
            guard frames.recover() else { return nil }
        }
    }

    @_lifetime(self: copy self)
    private mutating func decode(_ content: borrowing PrivateFrame) -> [UInt8]? {
        let owner = content.ownerIdentifier
        guard OwnerIdentifier.isNielsen(owner) else { return nil }
        return owner.copy()
    }
}
