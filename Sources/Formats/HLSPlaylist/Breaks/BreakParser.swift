/// Collects what the tags of a media playlist say about advertisement breaks.
struct BreakParser {
    private var cue: CueBreak?
    private var dateRanges = BreakDateRanges()

    /// The ranges that a SCTE35-IN without a date ends where the next segment begins.
    private var ending: [String] = []

    /// Reads EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT or EXT-X-CUE-IN.
    mutating func readCue(
        _ tag: PlaylistTag, _ value: Range<Int>, in bytes: Span<UInt8>, _ playlist: inout MediaPlaylist
    ) {
        if playlist.segmentCountBeforeCue == nil { playlist.segmentCountBeforeCue = playlist.segments.count }
        switch tag {
        case .cueOut: cue = CueBreak(cueOut: value, in: bytes)
        case .cueOutContinuation:
            let stated = CueBreak(continuation: value, in: bytes)
            // One that does not say how far the break is leaves what is known of it.
            if cue == nil || stated.secondsLeft != nil { cue = stated }
        default: cue = nil
        }
    }

    /// Reads EXT-X-DATERANGE; only ranges with SCTE35-OUT or SCTE35-IN are breaks.
    mutating func readDateRange(
        _ value: Range<Int>, in bytes: Span<UInt8>, _ context: inout ParsingContext
    ) {
        let list = context.attributes(value, in: bytes)
        guard let id = context.text("ID", of: list, in: bytes) else {
            return context.report(.missingAttribute, value, in: bytes)
        }
        let isOut = list.range(of: "SCTE35-OUT", in: bytes) != nil
        let isIn = list.range(of: "SCTE35-IN", in: bytes) != nil
        guard isOut || isIn || dateRanges.contains(id: id) else { return }
        guard
            dateRanges.contains(id: id)
                || context.hasRoom(for: .dateRanges, after: dateRanges.count, value, in: bytes)
        else { return }
        var range = BreakDateRange(id: id, isOut: isOut)
        range.start = date("START-DATE", of: list, in: bytes, &context)
        range.end = date("END-DATE", of: list, in: bytes, &context)
        range.duration = context.number("DURATION", of: list, in: bytes)
        range.plannedDuration = context.number("PLANNED-DURATION", of: list, in: bytes)
        if isIn, !isOut, range.end == nil, range.duration == nil { ending.append(id) }
        dateRanges.merge(range)
    }

    /// Says of the newest segment what is known where it stands.
    mutating func add(_ segment: inout MediaSegment) {
        if let open = cue {
            if open.contains(segmentSeconds: segment.duration) { segment.cueBreak = open }
            cue = open.after(segmentSeconds: segment.duration)
        }
        guard !ending.isEmpty, let date = segment.programDateTimeMilliseconds else { return }
        for id in ending { dateRanges.merge(BreakDateRange(id: id, end: date)) }
        ending = []
    }

    /// Marks the segments in date ranges, which may be stated before or after them.
    func finish(_ playlist: inout MediaPlaylist) {
        playlist.breakDateRanges = dateRanges
        dateRanges.mark(&playlist.segments)
    }

    private func date(
        _ name: StaticString, of list: AttributeList, in bytes: Span<UInt8>, _ context: inout ParsingContext
    ) -> Int64? {
        guard let range = list.range(of: name, in: bytes) else { return nil }
        let date = ProgramDateTime.milliseconds(in: bytes, range)
        if date == nil { context.report(.unreadableDate, range, in: bytes) }
        return date
    }
}
