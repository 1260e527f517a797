/// A parser for the advertisement breaks that the tags of a media playlist declare.
struct BreakParser {
    private var cue: CueBreak?
    private var dateRanges = BreakDateRanges()

    /// The ranges ended by a SCTE35-IN without a date, which takes the date of the next segment.
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
            // A tag without the elapsed time does not change the known remaining time.
            if cue == nil || stated.secondsLeft != nil { cue = stated }
        default: cue = nil
        }
    }

    /// Reads EXT-X-DATERANGE; only ranges with SCTE35-OUT or SCTE35-IN are breaks.
    mutating func readDateRange(
        _ value: Range<Int>, in bytes: Span<UInt8>, _ context: inout ParsingContext
    ) {
        let list = context.attributes(value, in: bytes)
        guard let id = context.limitedText("ID", of: list, in: bytes) else {
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

    /// Applies the breaks declared so far to the newest segment.
    mutating func add(_ segment: inout MediaSegment) {
        if let open = cue {
            if open.contains(segmentSeconds: segment.duration) { segment.cueBreak = open }
            cue = open.after(segmentSeconds: segment.duration)
        }
        guard !ending.isEmpty, let date = segment.programDateTimeMilliseconds else { return }
        for id in ending { dateRanges.merge(BreakDateRange(id: id, end: date)) }
        ending = []
    }

    /// Marks the segments in date ranges, which may be declared before or after their segments.
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
