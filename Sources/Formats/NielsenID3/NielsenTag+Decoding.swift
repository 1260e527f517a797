import ByteReading
package import ID3v2

extension NielsenTag {
    /// Decodes the first Nielsen tag in the bytes of an ID3 tag.
    ///
    /// Returns nil if the bytes are not an ID3 tag, or if no private frame has an owner identifier that begins with
    /// `www.nielsen.com/`. A damaged tag is still returned, with the fields that could be read.
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

    /// Decodes every Nielsen tag in the bytes of an ID3 tag, in order.
    ///
    /// An encoder writes one. A packager may merge several into one ID3 tag: each private frame with an owner
    /// identifier that begins with `www.nielsen.com/` is one. The result is empty if there is none, or no ID3 tag.
    public static func all(in tagBytes: Span<UInt8>) -> [NielsenTag] {
        if let tag = NielsenTag(exact: tagBytes) { return [tag] }
        do throws(ID3Error) {
            let tag = try ID3Tag(tagBytes)
            var walk = NielsenFrameWalk(tag)
            var owners: [[UInt8]] = []
            while let owner = walk.next() { owners.append(owner) }
            let envelope = walk.finish()
            return owners.map {
                NielsenTag(ownerIdentifier: $0, pieces: OwnerIdentifier($0.span), envelope: envelope)
            }
        } catch {
            return []
        }
    }

    /// Decodes the first Nielsen frame of an ID3 tag, or returns nil if the tag has no such frame.
    package init?(tag: borrowing ID3Tag) {
        var walk = NielsenFrameWalk(tag)
        guard let first = walk.next() else { return nil }
        self.init(ownerIdentifier: first, pieces: OwnerIdentifier(first.span), envelope: walk.finish())
    }

    /// Decodes an owner identifier without its ID3 tag, such as one copied from a log or typed by a user.
    ///
    /// Blanks and line ends, which documents and terminals insert, are removed and counted in `removedBlankCount`.
    /// Returns nil if the rest does not begin with `www.nielsen.com/`.
    public init?(ownerIdentifier text: Span<UInt8>) {
        // An identifier without a defect contains no blanks.
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

    /// Decodes an owner identifier as a player passed it, without removing blanks.
    ///
    /// Returns nil if it does not begin with `www.nielsen.com/`.
    package init?(playerIdentifier text: Span<UInt8>) {
        guard OwnerIdentifier.isNielsen(text) else { return nil }
        self.init(ownerIdentifier: text.copy(), pieces: OwnerIdentifier(text), envelope: Envelope())
    }

    /// Decodes a tag of exactly 271 bytes with every piece in its position; returns nil for any other tag.
    ///
    /// This is a fast path: the general decoder gives the same result for such a tag. Its values may still be invalid.
    @inline(__always)
    init?(exact bytes: Span<UInt8>) {
        guard bytes.count == Envelope.tagLength, Envelope.hasHeader(bytes), Envelope.hasTail(bytes) else {
            return nil
        }
        let owner = bytes.extracting(Envelope.ownerRange)
        guard let pieces = OwnerIdentifier(valid: owner) else { return nil }
        self.init(ownerIdentifier: owner.copy(), pieces: pieces, envelope: Envelope())
    }

    /// Returns whether a character is a space, a tab, a line end or a form feed.
    private static func isBlank(_ character: UInt8) -> Bool {
        character == 0x20 || 0x09...0x0D ~= character
    }
}

/// An iterator over the Nielsen frames of a tag that records the errors it finds.
private struct NielsenFrameWalk: ~Escapable {
    private var frames: ID3FrameCursor
    private var envelope: Envelope
    private var scratch: [UInt8] = []

    @_lifetime(copy tag)
    init(_ tag: borrowing ID3Tag) {
        frames = tag.frames
        envelope = Envelope(of: tag)
    }

    /// Returns the owner identifier of the next Nielsen frame, or nil at the end of the tag.
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
                // The frame's owner is unknown. If the tag also has a Nielsen frame, the tag counts as damaged.
                envelope.record(error)
            }
        }
        return nil
    }

    /// Reads the remaining frames and returns everything recorded about the tag.
    @_lifetime(self: copy self)
    mutating func finish() -> Envelope {
        while nextFrame() != nil {}
        return envelope
    }

    /// Returns the next readable frame, skipping and recording defects.
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
