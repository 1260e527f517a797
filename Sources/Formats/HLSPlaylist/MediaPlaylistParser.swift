/// A line-by-line parser for a media playlist (RFC 8216, 4.3.2 and 4.3.3).
struct MediaPlaylistParser {
    private var context: ParsingContext
    private var playlist = MediaPlaylist()

    /// The properties of the next segment, from the tags before its URI.
    private var pending = PendingSegment()

    private var nextSequence = 0
    private var nextDiscontinuitySequence = 0
    private var keys: [EncryptionKey] = []
    private var map: InitializationSection?
    private var calendar = ProgramCalendar()
    private var segmentRanges = ByteRangeChain()
    private var partRanges = ByteRangeChain()
    private var partCount = 0
    private var seenOnce: Set<PlaylistTag> = []
    private var breaks = BreakParser()
    private var declarations = Hasher()

    private struct PendingSegment {
        var hasInformation = false
        var duration: Double?
        var title = ""
        var byteRange: StatedByteRange?
        var isDiscontinuity = false
        var isGap = false
        var dateMilliseconds: Int64?
    }

    init(context: ParsingContext) { self.context = context }

    mutating func parse(_ bytes: Span<UInt8>) -> MediaPlaylist {
        var statements = PlaylistStatements(of: bytes)
        while let statement = statements.next(in: bytes, &context) {
            switch statement {
            case .tag(let tag, let value): read(tag, value, in: bytes)
            case .uri(let line): readURI(line, in: bytes)
            }
        }
        let end = bytes.count..<bytes.count
        if pending.hasInformation { context.report(.missingURI, end, in: bytes) }
        if playlist.targetDuration == nil { context.report(.missingTargetDuration, end, in: bytes) }
        breaks.finish(&playlist)
        playlist.declarationHash = declarations.finalize()
        playlist.version = context.version
        playlist.variables = context.variables
        playlist.problems = context.problems
        return playlist
    }

    private mutating func read(_ tag: PlaylistTag, _ value: Range<Int>, in bytes: Span<UInt8>) {
        switch tag {
        case .segment: readInformation(value, in: bytes)
        case .programDateTime: readDate(value, in: bytes)
        case .byteRange: readByteRange(value, in: bytes)
        case .part: readPart(value, in: bytes)
        case .discontinuity: pending.isDiscontinuity = true
        case .gap: pending.isGap = true
        case .key: readKey(value, in: bytes)
        case .map: readMap(value, in: bytes)
        case .cueOut, .cueOutContinuation, .cueIn: breaks.readCue(tag, value, in: bytes, &playlist)
        case .dateRange: breaks.readDateRange(value, in: bytes, &context)
        case .header: break
        case .version:
            checkOnce(tag, value, in: bytes)
            context.readVersion(value, in: bytes)
        case .define: context.readDefinition(value, in: bytes)
        case .targetDuration: readTargetDuration(value, in: bytes)
        case .mediaSequence: readMediaSequence(value, in: bytes)
        case .discontinuitySequence: readDiscontinuitySequence(value, in: bytes)
        case .playlistType: readPlaylistType(value, in: bytes)
        case .endList: playlist.isEnded = true
        case .iFramesOnly: playlist.isIFramesOnly = true
        case .partInformation:
            let list = context.attributes(value, in: bytes)
            playlist.partTargetDuration = context.number("PART-TARGET", of: list, in: bytes)
        case .serverControl: readServerControl(value, in: bytes)
        case .preloadHint: readPreloadHint(value, in: bytes)
        case .skip: readSkip(value, in: bytes)
        case .streamInformation: context.report(.mixedKinds, value, in: bytes)
        case .media, .iFrameStreamInformation, .sessionData, .sessionKey:
            context.report(.misplacedTag, value, in: bytes)
        }
    }

    private mutating func checkOnce(_ tag: PlaylistTag, _ value: Range<Int>, in bytes: Span<UInt8>) {
        if !seenOnce.insert(tag).inserted { context.report(.repeatedTag, value, in: bytes) }
    }
}

// MARK: - Segments

extension MediaPlaylistParser {
    private mutating func readInformation(_ value: Range<Int>, in bytes: Span<UInt8>) {
        if pending.hasInformation { context.report(.missingURI, value, in: bytes) }
        pending.hasInformation = true
        let comma = bytes.firstIndex(of: 0x2C, in: value) ?? value.upperBound
        let number = bytes.trimmed(value.lowerBound..<comma)
        // If other characters follow the digits, use the digits anyway.
        let read = bytes.decimalNumber(in: number)
        if read == nil || read?.end != number.upperBound {
            context.report(.unreadableNumber, number, in: bytes)
        }
        pending.duration = read?.value
        let title = bytes.trimmed(min(comma + 1, value.upperBound)..<value.upperBound)
        pending.title = title.isEmpty ? "" : context.decoded(title, in: bytes)
    }

    private mutating func readDate(_ value: Range<Int>, in bytes: Span<UInt8>) {
        pending.dateMilliseconds = ProgramDateTime.milliseconds(in: bytes, value)
        if pending.dateMilliseconds == nil { context.report(.unreadableDate, value, in: bytes) }
    }

    private mutating func readByteRange(_ value: Range<Int>, in bytes: Span<UInt8>) {
        pending.byteRange = StatedByteRange(in: bytes, value)
        if pending.byteRange == nil { context.report(.unreadableByteRange, value, in: bytes) }
    }

    private mutating func readURI(_ line: Range<Int>, in bytes: Span<UInt8>) {
        guard context.hasRoom(for: .segments, after: playlist.segments.count, line, in: bytes) else {
            pending = PendingSegment()
            return
        }
        let uri = context.uri(line, in: bytes)
        if !pending.hasInformation || pending.duration == nil {
            context.report(.missingDuration, line, in: bytes)
        }
        let duration = pending.duration ?? Double(playlist.targetDuration ?? 0)
        var byteRange: ByteRange?
        if let stated = pending.byteRange {
            let (range, isGuess) = segmentRanges.resolve(stated, of: uri)
            byteRange = range
            if isGuess { context.report(.byteRangeWithoutOffset, line, in: bytes) }
            if range == nil { context.report(.unreadableByteRange, line, in: bytes) }
        } else {
            segmentRanges.reset()
        }
        if pending.isDiscontinuity {
            nextDiscontinuitySequence += 1
            calendar.reset()
        }
        if let date = pending.dateMilliseconds { calendar.set(date) }
        playlist.segments.append(
            MediaSegment(
                uri: uri, duration: duration, title: pending.title, byteRange: byteRange,
                mediaSequence: nextSequence, discontinuitySequence: nextDiscontinuitySequence,
                isDiscontinuity: pending.isDiscontinuity, isGap: pending.isGap,
                programDateTimeMilliseconds: calendar.milliseconds,
                statesDate: pending.dateMilliseconds != nil, keys: keys, map: map, line: context.line))
        breaks.add(&playlist.segments[playlist.segments.count - 1])
        calendar.advance(seconds: duration)
        nextSequence += 1
        partCount = 0
        pending = PendingSegment()
    }

    private mutating func readKey(_ value: Range<Int>, in bytes: Span<UInt8>) {
        switch KeyDeclaration(value, in: bytes, context: &context) {
        case nil: break
        case .some(.none):
            declarations.combine(playlist.segments.count)
            keys = []
        case .key(let key):
            declarations.combine(playlist.segments.count)
            declarations.combine(key)
            // A key replaces the previous one of the same format; keys of other formats stay.
            if let index = keys.firstIndex(where: { $0.keyFormat == key.keyFormat }) {
                // The segments share the texts of a key that is declared for each of them.
                if keys[index] != key { keys[index] = key }
            } else if context.hasRoom(for: .keyFormats, after: keys.count, value, in: bytes) {
                keys.append(key)
            }
        }
    }

    private mutating func readMap(_ value: Range<Int>, in bytes: Span<UInt8>) {
        let list = context.attributes(value, in: bytes)
        guard let uri = context.uri(of: list, in: bytes) else {
            return context.report(.missingAttribute, value, in: bytes)
        }
        var byteRange: ByteRange?
        if let range = list.range(of: "BYTERANGE", in: bytes) {
            byteRange = StatedByteRange(in: bytes, range).flatMap {
                ByteRange(offset: $0.offset ?? 0, length: $0.length)
            }
            if byteRange == nil { context.report(.unreadableByteRange, range, in: bytes) }
        }
        let section = InitializationSection(uri: uri, byteRange: byteRange, keys: keys)
        declarations.combine(playlist.segments.count)
        declarations.combine(section)
        if map != section { map = section }
    }
}

// MARK: - The playlist

extension MediaPlaylistParser {
    private mutating func readTargetDuration(_ value: Range<Int>, in bytes: Span<UInt8>) {
        checkOnce(.targetDuration, value, in: bytes)
        if let seconds = bytes.decimalInteger(in: value), seconds <= PlaylistNumber.maximumSeconds {
            playlist.targetDuration = seconds
            return
        }
        context.report(.unreadableNumber, value, in: bytes)
        // Some packagers write a fraction; the value rounded up is an upper bound on segment durations.
        if let number = bytes.decimalNumber(filling: value) {
            playlist.targetDuration = Int(number.rounded(.up))
        }
    }

    private mutating func readMediaSequence(_ value: Range<Int>, in bytes: Span<UInt8>) {
        checkOnce(.mediaSequence, value, in: bytes)
        guard playlist.segments.isEmpty else { return context.report(.misplacedTag, value, in: bytes) }
        guard let number = context.integer(value, in: bytes) else { return }
        playlist.mediaSequence = number
        playlist.statesMediaSequence = true
        nextSequence = number + playlist.skippedSegmentCount
    }

    private mutating func readDiscontinuitySequence(_ value: Range<Int>, in bytes: Span<UInt8>) {
        checkOnce(.discontinuitySequence, value, in: bytes)
        guard playlist.segments.isEmpty else { return context.report(.misplacedTag, value, in: bytes) }
        guard let number = context.integer(value, in: bytes) else { return }
        playlist.discontinuitySequence = number
        nextDiscontinuitySequence = number
    }

    private mutating func readPlaylistType(_ value: Range<Int>, in bytes: Span<UInt8>) {
        checkOnce(.playlistType, value, in: bytes)
        playlist.playlistType = MediaPlaylist.PlaylistType(rawValue: context.decoded(value, in: bytes))
        if playlist.playlistType == nil { context.report(.unreadableAttribute, value, in: bytes) }
    }
}

// MARK: - Low latency

extension MediaPlaylistParser {
    private mutating func readPart(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard context.hasRoom(for: .parts, after: playlist.parts.count, value, in: bytes) else { return }
        let list = context.attributes(value, in: bytes)
        guard let uri = context.uri(of: list, in: bytes) else {
            return context.report(.missingAttribute, value, in: bytes)
        }
        let duration = context.number("DURATION", of: list, in: bytes)
        if duration == nil { context.report(.missingDuration, value, in: bytes) }
        var byteRange: ByteRange?
        if let range = list.range(of: "BYTERANGE", in: bytes) {
            if let stated = StatedByteRange(in: bytes, range) {
                let (found, isGuess) = partRanges.resolve(stated, of: uri)
                byteRange = found
                if isGuess { context.report(.byteRangeWithoutOffset, range, in: bytes) }
            }
            if byteRange == nil { context.report(.unreadableByteRange, range, in: bytes) }
        } else {
            partRanges.reset()
        }
        playlist.parts.append(
            PartialSegment(
                uri: uri, duration: duration ?? playlist.partTargetDuration ?? 0, byteRange: byteRange,
                mediaSequence: nextSequence, index: partCount,
                isIndependent: list.isYes("INDEPENDENT", in: bytes), isGap: list.isYes("GAP", in: bytes)))
        partCount += 1
    }

    private mutating func readPreloadHint(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard context.hasRoom(for: .preloadHints, after: playlist.preloadHints.count, value, in: bytes) else {
            return
        }
        let list = context.attributes(value, in: bytes)
        guard let type = list.range(of: "TYPE", in: bytes), let uri = context.uri(of: list, in: bytes)
        else { return context.report(.missingAttribute, value, in: bytes) }
        guard let kind = PreloadHint.Kind(rawValue: context.decoded(type, in: bytes)) else {
            return context.report(.unreadableAttribute, type, in: bytes)
        }
        playlist.preloadHints.append(
            PreloadHint(
                kind: kind, uri: uri, offset: context.integer("BYTERANGE-START", of: list, in: bytes) ?? 0,
                length: context.integer("BYTERANGE-LENGTH", of: list, in: bytes)))
    }

    private mutating func readServerControl(_ value: Range<Int>, in bytes: Span<UInt8>) {
        checkOnce(.serverControl, value, in: bytes)
        let list = context.attributes(value, in: bytes)
        playlist.serverControl = ServerControl(
            canBlockReload: list.isYes("CAN-BLOCK-RELOAD", in: bytes),
            holdBack: context.number("HOLD-BACK", of: list, in: bytes),
            partHoldBack: context.number("PART-HOLD-BACK", of: list, in: bytes),
            canSkipUntil: context.number("CAN-SKIP-UNTIL", of: list, in: bytes))
    }

    private mutating func readSkip(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard playlist.segments.isEmpty else { return context.report(.misplacedTag, value, in: bytes) }
        let list = context.attributes(value, in: bytes)
        guard let range = list.range(of: "SKIPPED-SEGMENTS", in: bytes) else {
            return context.report(.missingAttribute, value, in: bytes)
        }
        guard let count = context.integer(range, in: bytes) else { return }
        playlist.skippedSegmentCount = count
        nextSequence = playlist.mediaSequence + count
    }
}
