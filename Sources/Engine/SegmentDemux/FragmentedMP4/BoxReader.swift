import ByteReading
internal import ID3v2
internal import ISOBMFF

/// Reads the boxes of one fragmented MP4 segment and extracts the tags and the data that determines their times.
struct BoxReader: Sendable {
    /// The data read so far.
    private(set) var boxes = FilteredBoxes()

    /// The total length of the tags, in bytes.
    private(set) var tagByteCount = 0

    private let limits: DemuxLimits

    /// The part of a box to read.
    enum Interest {
        case none
        case payload
        case children(skipping: UInt64)
    }

    init(limits: DemuxLimits) { self.limits = limits }

    /// Returns and clears the statements read so far.
    mutating func drainStatements() -> [BoxStatement] {
        defer { boxes.statements.removeAll(keepingCapacity: true) }
        return boxes.statements
    }

    /// Returns the part of `box` to read, and appends a statement if the box header alone carries information.
    mutating func interest(in box: BoxWalker.Box) -> Interest {
        switch (box.parent, box.header.type) {
        case (nil, .movie):
            boxes.statements.append(.movie)
            return .children(skipping: 0)
        case (nil, .movieFragment):
            boxes.statements.append(.movieFragment)
            return .children(skipping: 0)
        case (.movie, .track):
            boxes.statements.append(.track)
            return .children(skipping: 0)
        case (.movieFragment, .trackFragment):
            boxes.statements.append(.trackFragment)
            return .children(skipping: 0)
        case (.movie, .movieExtends), (.track, .media), (_, .userData):
            return .children(skipping: 0)
        case (_, .metadata):
            // A version and flags precede the child boxes (ISO/IEC 14496-12, 8.11.1).
            return .children(skipping: 4)
        case (_, .eventMessage), (.metadata, .id3v2), (nil, .segmentIndex), (.track, .trackHeader),
            (.media, .mediaHeader), (.media, .handler), (.movieExtends, .trackExtends),
            (.trackFragment, .trackFragmentHeader), (.trackFragment, .trackFragmentDecodeTime),
            (.trackFragment, .trackRun):
            return .payload
        default: return .none
        }
    }

    /// Reads the payload of a box in which `interest(in:)` found a relevant payload.
    mutating func read(_ box: BoxWalker.Box, _ payload: Span<UInt8>) {
        do throws(ISOBMFFError) {
            switch box.header.type {
            case .eventMessage: try readEventMessage(box, payload)
            case .id3v2:
                let tag = try ID3v2Box(payload)
                readTags(
                    tag.data, at: box.payloadOffset + UInt64(tag.dataOffset), .metadataBox, time: nil,
                    isDeclared: true)
            case .segmentIndex: boxes.statements.append(.segmentIndex(try SegmentIndexBox(payload)))
            case .trackHeader: boxes.statements.append(.trackHeader(try TrackHeaderBox(payload)))
            case .mediaHeader: boxes.statements.append(.mediaHeader(try MediaHeaderBox(payload)))
            case .handler: boxes.statements.append(.handler(try HandlerBox(payload)))
            case .trackExtends: boxes.statements.append(.trackExtends(try TrackExtendsBox(payload)))
            case .trackFragmentHeader:
                boxes.statements.append(.trackFragmentHeader(try TrackFragmentHeaderBox(payload)))
            case .trackFragmentDecodeTime:
                boxes.statements.append(.trackFragmentDecodeTime(try TrackFragmentDecodeTimeBox(payload)))
            case .trackRun: boxes.statements.append(.run(SampleRun(try TrackRunBox(payload))))
            default: break
            }
        } catch {
            report(error, from: box.payloadOffset, length: payload.count)
        }
    }

    /// Closes a box whose children were read.
    mutating func close(_ box: BoxWalker.Box) {
        if box.header.type == .trackFragment { boxes.statements.append(.trackFragmentEnd) }
    }

    /// Reports a violated rule at the error's offset from the start of the segment.
    mutating func report(_ error: ISOBMFFError) { report(error, from: 0, length: 0) }

    /// Reports a box that is longer than the rest of the segment.
    mutating func reportTruncation(_ error: ISOBMFFError) {
        boxes.facts.isTruncated = true
        report(error)
    }

    private mutating func report(_ error: ISOBMFFError, from start: UInt64, length: Int) {
        boxes.facts.malformed.append(
            .init(offset: Int(clamping: start &+ error.offset), length: length, rule: error.rule))
    }
}

// MARK: - Tags

extension BoxReader {
    /// The schemes that declare their messages to be ID3 tags.
    ///
    /// Messages of other schemes are read if they start with a tag.
    private static let schemes: Set<String> = [
        "https://aomedia.org/emsg/ID3", "https://developer.apple.com/streaming/emsg-id3",
        "www.nielsen.com:id3:v1", "http://www.id3.org/",
    ]

    private mutating func readEventMessage(
        _ box: BoxWalker.Box, _ payload: Span<UInt8>
    ) throws(ISOBMFFError) {
        let event = try EventMessageBox(payload)
        let message = event.messageData
        let scheme = event.schemeIDURI
        let isDeclared = Self.schemes.contains(scheme)
        guard isDeclared || message.hasASCII("ID3", at: 0) else { return }
        let value = event.value
        if event.timescale == 0 {
            report(
                .zeroTimescale(at: 0, type: .eventMessage), from: box.payloadOffset, length: payload.count)
        }
        let time: FilteredBoxes.Tag.Time? =
            switch event.time {
            case .presentationTime(let ticks):
                MediaTimestamp(ticks: ticks, timescale: event.timescale).map { .absolute($0) }
            case .presentationTimeDelta(let delta):
                event.timescale > 0 ? .delta(delta, timescale: event.timescale) : nil
            }
        let carriage = Carriage.eventMessage(
            .init(
                schemeIDURI: scheme, value: value, version: event.version, id: event.id,
                duration: event.duration))
        let hasTag = readTags(
            message, at: box.payloadOffset + UInt64(event.messageOffset), carriage, time: time,
            isDeclared: isDeclared)
        if hasTag {
            let event = EventMessageDigest(scheme: scheme, value: value, id: event.id, message: message)
            boxes.statements.append(.event(event))
        }
    }

    /// Adds all the tags in `data`, which begins at the offset `start` in the segment, and returns whether it has any.
    @discardableResult
    private mutating func readTags(
        _ data: Span<UInt8>, at start: UInt64, _ carriage: Carriage, time: FilteredBoxes.Tag.Time?,
        isDeclared: Bool
    ) -> Bool {
        var search = ID3TagSearch(data)
        var hasTag = false
        while let finding = search.next() {
            switch finding {
            case .tag(let tag):
                hasTag = true
                add(
                    FilteredBoxes.Tag(
                        bytes: data.copy(tag.range),
                        offset: Int(clamping: start + UInt64(tag.range.lowerBound)),
                        carriage: carriage,
                        completeness: tag.missingCount == 0
                            ? .complete : .truncated(expected: tag.header.tagLength),
                        time: time))
            case .malformed(let error, let range):
                hasTag = true
                boxes.facts.malformed.append(
                    .init(
                        offset: Int(clamping: start + UInt64(range.lowerBound)), length: range.count,
                        rule: error.rule))
            }
        }
        if !hasTag, isDeclared {
            boxes.facts.malformed.append(
                .init(offset: Int(clamping: start), length: data.count, rule: .eventMessageWithoutTag))
        }
        return hasTag
    }

    private mutating func add(_ tag: FilteredBoxes.Tag) {
        guard tagByteCount + tag.bytes.count <= limits.maximumSegmentTagByteCount else {
            boxes.facts.malformed.append(
                .init(offset: tag.offset, length: tag.bytes.count, rule: .tagsTooLong))
            return
        }
        tagByteCount += tag.bytes.count
        boxes.tags.append(tag)
    }
}
