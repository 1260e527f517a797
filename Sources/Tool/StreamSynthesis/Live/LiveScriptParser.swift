extension LiveScript {
    /// The script syntax, for a help text.
    package static let grammar = """
        at TIME [every TIME] [for TIME] channel LIST: FAULT
          TIME is 8s, 1.5m or 1h; without a unit, seconds. LIST is 3, 1-5, 1,4,7-9 or * for all.
          Without 'for', a fault lasts to the end. '#' starts a comment.
        late-playlist TIME             the playlist is late by TIME
        stalled-playlist               the playlist stops changing
        status CODE [playlist|segment] requests are answered with status CODE, such as 404 or 503
        slow-drip BYTES [playlist|segment]
                                       bodies are sent at BYTES per second; default: segments
        redirect [TIME]                playlists are redirected; the new address expires after TIME
        expired-session                the media playlist's address is 403 from then on; it gets a new address
        sequence-reset                 the media sequence restarts at 0
        changed-key [TIME]             segments are encrypted (AES-128), with a new key every TIME or segment
        no-tags                        the tags are removed
        ad-break [cue|daterange|unmarked]
                                       other content without tags; default: cue; needs 'for'
        """

    /// Parses a script.
    ///
    /// - Parameter channelCount: The number of channels; a line with another channel is an error.
    package init(parsing text: String, channelCount: Int) throws(SynthesisError) {
        var events: [Event] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var parser = LineParser(line, number: index + 1)
            if let event = try parser.event(channelCount: channelCount) { events.append(event) }
        }
        self.init(events)
    }

    /// A parser for one line, split into words.
    private struct LineParser {
        private typealias Word = (text: Substring, column: Int)

        private let number: Int
        private var words: ArraySlice<Word>
        /// The column of the line's end, for errors about missing words.
        private let endColumn: Int

        /// Ten years in milliseconds: longer than any station runs, and too short for overflows.
        private static let longestTime = 315_360_000_000.0

        /// Splits a line into words, with each colon as a separate word and without comments.
        init(_ line: Substring, number: Int) {
            self.number = number
            var words: [Word] = []
            let characters = Array(line.prefix { $0 != "#" })
            var start = 0
            for (index, character) in (characters + [" "]).enumerated() {
                guard character.isWhitespace || character == ":" else { continue }
                if index > start {
                    words.append((Substring(String(characters[start..<index])), start + 1))
                }
                if character == ":" { words.append((":", index + 1)) }
                start = index + 1
            }
            self.words = words[...]
            endColumn = (words.last.map { $0.column + $0.text.count }) ?? 1
        }

        mutating func event(channelCount: Int) throws(SynthesisError) -> Event? {
            if words.isEmpty { return nil }
            try expect("at")
            let start = try time("the start")
            var period: Int64?
            var length: Int64?
            let periodColumn = nextColumn
            if skip("every") { period = try time("the period") }
            let lengthColumn = nextColumn
            if skip("for") { length = try time("the duration") }
            if words.first?.text == "channels" { words = words.dropFirst() } else { try expect("channel") }
            let channels = try channelList(channelCount)
            try expect(":")
            let faultColumn = nextColumn
            let fault = try fault()
            if let extra = words.first { throw error("unexpected '\(extra.text)'", extra.column) }
            if period == 0 { throw error("'every' takes a time above 0", periodColumn) }
            if length == 0 { throw error("'for' takes a time above 0", lengthColumn) }
            if fault.isEvent {
                if length != nil {
                    throw error("this fault has no duration: it takes no 'for'", lengthColumn)
                }
            } else if let period {
                guard let length else {
                    throw error("a repeated fault needs 'for'", periodColumn)
                }
                if length > period { throw error("the fault would repeat before it ends", periodColumn) }
            }
            if case .adBreak = fault, length == nil { throw error("a break needs 'for'", faultColumn) }
            return Event(fault: fault, start: start, length: length, period: period, channels: channels)
        }

        private mutating func fault() throws(SynthesisError) -> LiveFault {
            let name = try next("a fault")
            switch name.text {
            case "late-playlist":
                return .latePlaylist(milliseconds: try time("the delay"))
            case "stalled-playlist": return .stalledPlaylist
            case "status":
                let code = try wholeNumber("a status such as 404", 400...599)
                return .status(code, try choice(LiveFault.Resource.self))
            case "slow-drip":
                let rate = try wholeNumber("a number of bytes per second", 1...1_000_000_000)
                return .slowDrip(bytesPerSecond: rate, try choice(LiveFault.Resource.self) ?? .segment)
            case "redirect": return .redirect(expiringAfter: words.isEmpty ? nil : try time("a time"))
            case "expired-session": return .expiredSession
            case "sequence-reset": return .sequenceReset
            case "changed-key":
                let column = nextColumn
                let period = words.isEmpty ? nil : try time("a time")
                if period == 0 { throw error("the lifetime of a key must be above 0", column) }
                return .changedKey(every: period)
            case "no-tags": return .noTags
            case "ad-break": return .adBreak(try choice(LiveFault.BreakMarking.self) ?? .cue)
            default:
                throw error(
                    "unknown fault '\(name.text)'; the faults are late-playlist, stalled-playlist, status, slow-drip, "
                        + "redirect, expired-session, sequence-reset, changed-key, no-tags and ad-break",
                    name.column)
            }
        }

        private mutating func channelList(_ count: Int) throws(SynthesisError) -> [ClosedRange<Int>]? {
            let word = try next("the channels")
            if word.text == "*" { return nil }
            var channels: [ClosedRange<Int>] = []
            for part in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
                    .map { Int($0) }
                guard let first = ends[0], let last = ends[ends.count - 1], first <= last else {
                    throw error("channels are 3, 1-5, 1,4,7-9 or *, not '\(word.text)'", word.column)
                }
                guard first >= 1, last <= count else {
                    let known = count == 1 ? "only channel 1" : "channels 1 to \(count)"
                    throw error(
                        "there is no channel \(first < 1 ? first : last): there are \(known)", word.column)
                }
                channels.append(first...last)
            }
            return channels
        }

        private mutating func time(_ what: String) throws(SynthesisError) -> Int64 {
            let word = try next("a time (\(what))")
            let digits = word.text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let scales: [Substring: Double] = [
                "": 1_000, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
            ]
            guard let scale = scales[word.text.dropFirst(digits.count)], let value = Double(digits),
                value * scale <= Self.longestTime
            else { throw error("a time is 8s, 1.5m or 1h, not '\(word.text)'", word.column) }
            return Int64((value * scale).rounded())
        }

        private mutating func wholeNumber(
            _ what: String, _ range: ClosedRange<Int>
        ) throws(SynthesisError) -> Int {
            let word = try next(what)
            guard let value = Int(word.text), range.contains(value) else {
                throw error(
                    "'\(word.text)' is not \(what), from \(range.lowerBound) to \(range.upperBound)",
                    word.column)
            }
            return value
        }

        /// Parses an optional keyword.
        private mutating func choice<Choice: RawRepresentable & CaseIterable>(
            _: Choice.Type
        ) throws(SynthesisError) -> Choice? where Choice.RawValue == String {
            guard let word = words.popFirst() else { return nil }
            guard let choice = Choice(rawValue: String(word.text)) else {
                let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw error("'\(word.text)' is not one of \(known)", word.column)
            }
            return choice
        }

        private var nextColumn: Int { words.first?.column ?? endColumn }

        private mutating func next(_ what: String) throws(SynthesisError) -> Word {
            guard let word = words.popFirst() else { throw error("\(what) is missing", endColumn) }
            return word
        }

        private mutating func skip(_ word: String) -> Bool {
            guard let first = words.first, first.text == word else { return false }
            words = words.dropFirst()
            return true
        }

        private mutating func expect(_ word: String) throws(SynthesisError) {
            let column = nextColumn
            let found = words.first.map { ", not '\($0.text)'" } ?? ""
            guard skip(word) else { throw error("'\(word)' is expected here\(found)", column) }
        }

        private func error(_ message: String, _ column: Int) -> SynthesisError {
            .script(line: number, column: column, message: message)
        }
    }
}
