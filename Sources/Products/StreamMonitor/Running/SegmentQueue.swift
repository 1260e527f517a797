import HLSInput
import HLSPlaylist

/// The listed segments of a rendition that are to be read, in order, with those that are not there yet.
///
/// A segment that a server does not have yet is asked for again while it is listed. The following segments wait for it
/// until it has been listed for a target duration; then they are read first. What was read is judged in the order of
/// the playlist: later segments wait for a late one until it is there, has left the playlist, or is missing for a
/// minute or four target durations, or until the memory of the channel has no room for their tags. A segment that was
/// still being written is read again, once.
///
/// It is a value without input or output. The follower performs its steps.
struct SegmentQueue: Sendable {
    /// The next action for a segment.
    struct Step: Sendable {
        let id: Int
        let segment: LiveSegment
        let kind: Kind
        /// Whether the segment was tried before and is tried again.
        let isRetry: Bool
        /// Whether its requests count toward the limit on retries: not if it waited for its key, which is there now.
        let isLimited: Bool

        enum Kind: Sendable {
            /// Read the segment, in order.
            case read
            /// Read the segment after later ones, from the state before an earlier reading.
            case readLate(from: LiveSegmentReading)
            /// Continue with the following segments.
            case pass(LiveSegmentReading)
        }
    }

    /// The segments in the order of the playlist; those at the front are removed in constant time.
    private var entries: ArraySlice<Entry> = []
    /// The segments that follow them.
    private var waiting: ArraySlice<Waiting> = []
    private var nextID = 0
    /// The seconds of media that were not requested yet.
    private var waitingSeconds = 0.0
    /// Missing segments without which later ones have been judged; the oldest are dropped.
    private var stragglers: [Entry] = []
    private static let maximumStragglerCount = 32
    /// The maximum number of missing segments that later ones wait for.
    private static let maximumMissingCount = 64
    /// The minimum time that judging waits for a missing segment.
    static let minimumPatience = Duration.seconds(60)
    /// The time for each missing segment between the attempts of one, which is at least a target duration.
    private static let timePerAttempt = Duration.milliseconds(500)

    private var shortfall = SegmentShortfall()
    /// The initialization segment that was missing until a segment was given up; others are read without it.
    private var absentInitialization: LiveSegment.ResourceID?
    /// The media sequence number of the last segment that was requested.
    private var lastRequested: Int?

    // MARK: Playlists

    /// The range of the media sequence numbers of missing segments; nil if there are none.
    var awaited: ClosedRange<Int>? {
        var numbers = waiting.map(\.segment.mediaSequence)
        for entry in entries where !entry.isDone { numbers.append(entry.segment.mediaSequence) }
        for entry in stragglers where !entry.isDone { numbers.append(entry.segment.mediaSequence) }
        guard let first = numbers.min(), let last = numbers.max() else { return nil }
        return first...last
    }

    /// Appends new segments, in order.
    mutating func append(
        _ segments: [LiveSegment], reservedBy reservation: SegmentMemory.Reservation?, at time: Duration
    ) {
        let total = segments.reduce(0) { $0 + $1.duration }
        var before = 0.0
        for segment in segments {
            before += segment.duration
            // The segments after it show for how long it has been listed.
            let wait = Double(segment.targetSeconds) - (total - before)
            waiting.append(
                Waiting(
                    id: nextID, segment: segment, reservation: reservation,
                    waitsUntil: time + .seconds(max(0, wait))))
            nextID += 1
        }
        waitingSeconds += total
    }

    /// Updates the unread segments after a load: their addresses, and whether they are still listed.
    mutating func observe(_ load: LivePlaylistLoad, at time: Duration) {
        guard let listed = load.update.listed else { return }
        let current = Dictionary(load.awaited.map { ($0.mediaSequence, $0) }) { $1 }
        for index in waiting.indices { waiting[index].observe(current, listed, load.update) }
        for index in entries.indices { entries[index].observe(current, listed, load.update, at: time) }
        for index in stragglers.indices { stragglers[index].observe(current, listed, load.update, at: time) }
        lastRequested = lastRequested.map { $0 + load.update.renumberedBy }
        stragglers.removeAll { !$0.isListed }
    }

    /// Drops all segments, because another source is read.
    mutating func removeAll() {
        waiting = []
        entries = []
        stragglers = []
        waitingSeconds = 0
    }

    /// Whether all segments have been judged.
    var isEmpty: Bool { entries.isEmpty && waiting.isEmpty }

    // MARK: Reading

    /// Returns the next step, or nil if none is due.
    mutating func next(at time: Duration) -> Step? {
        // Many read segments may wait for a missing one, and copying them takes time.
        let first = entries.indices.first { !entries[$0].isDone && !entries[$0].isPassed }
        if let first {
            let entry = entries[first]
            guard let reading = entry.reading else { return entry.step(.read) }
            let isDue = entry.isListed && entry.nextAttempt <= time
            if !isDue, !entry.isListed || entry.listed.waitsUntil <= time {
                return entry.step(.pass(reading))
            }
        } else if let listed = waiting.popFirst() {
            // Removed elements stay in the buffer of a slice, with their memory reservations.
            if waiting.isEmpty { waiting = [] }
            let entry = Entry(listed: listed)
            entries.append(entry)
            return entry.step(.read)
        }
        // The segment that was tried the longest ago is next, so that none waits until it has left the playlist.
        let due = [entries.dueEntry(at: time), stragglers.dueEntry(at: time)].compactMap(\.self)
        return due.min { $0.lastAttempt < $1.lastAttempt }?.retry
    }

    /// The time of the next step, or nil if none will be due without another load.
    var nextTime: Duration? {
        let times = [entries.nextTime, stragglers.nextTime]
        return times.compactMap(\.self).min()
    }

    /// Postpones the next attempt of a segment, because of the limit on requests.
    mutating func postpone(_ id: Int, until time: Duration) {
        update(id) { $0.nextAttempt = max($0.nextAttempt, time) }
    }

    /// Returns whether nothing will be read again after this reading of a segment.
    func isComplete(_ live: LiveSegmentReading, of step: Step) -> Bool {
        guard let entry = self[step.id], entry.isListed else { return true }
        if live.lacksInitialization, live.missingResource == absentInitialization { return true }
        if live.isMissing { return false }
        // An incomplete segment is read again once.
        if let earlier = entry.reading, !earlier.isMissing { return true }
        return live.failure != nil || !shortfall.isIncomplete(live, step.segment)
    }

    /// Records a reading, before its tags are stored.
    ///
    /// - Returns: The reading to store, which is an earlier one if that has more; nil if the segment is read again.
    mutating func record(
        _ live: LiveSegmentReading, of step: Step, isComplete: Bool, at time: Duration
    ) -> LiveSegmentReading? {
        guard let entry = self[step.id] else { return live }
        let segment = step.segment
        if entry.attemptCount == 0 {
            // Rounding errors do not accumulate.
            waitingSeconds = waiting.isEmpty ? 0 : waitingSeconds - segment.duration
            lastRequested = segment.mediaSequence
        }
        if isComplete, live.failure == nil, live.reading.missingInitialization == nil {
            absentInitialization = nil
        }
        var stored = live
        // An incomplete reading is kept if the second one failed.
        if isComplete, let earlier = entry.reading, earlier.failure == nil {
            if live.failure != nil {
                stored = earlier
            } else {
                stored = live.addingContinuedTags(of: earlier, in: segment)
                shortfall.observeRepeat(live, after: earlier, of: segment)
            }
        }
        if isComplete, live.failure == nil { shortfall.observeComplete(live, of: segment) }
        let missing = Duration.seconds(min(live.missingSeconds(of: segment), 3_600))
        let missingCount = live.failure == nil ? 0 : requested.count(where: \.isMissing) + stragglers.count
        let interval = Self.timePerAttempt * missingCount
        update(step.id) { entry in
            if entry.attemptCount == 0 { entry.firstAttempt = time }
            entry.attemptCount += 1
            entry.lastAttempt = time
            entry.hasKey = false
            entry.isDone = isComplete
            if isComplete {
                entry.reading = nil
                return
            }
            // An incomplete reading is kept while the segment cannot be read again.
            let hasPart = entry.reading.map { $0.failure == nil } ?? false
            if !hasPart || live.failure == nil { entry.reading = live }
            entry.reserveTagMemory()
            let target = entry.targetDuration
            if live.failure == nil {
                entry.nextAttempt = time + min(max(target / 4, missing), target)
                entry.listed.waitsUntil = entry.nextAttempt + target / 4
            } else {
                let base = max(target / 4, .milliseconds(250)) * (1 << min(entry.attemptCount - 1, 8))
                entry.nextAttempt = time + min(base, max(target, interval))
            }
        }
        shareAttempt(of: step, live, at: time)
        return isComplete ? stored : nil
    }

    /// Lets the segments that lack the same key or initialization segment share the outcome of an attempt.
    ///
    /// They wait together while it is missing, and are due when it is there.
    private mutating func shareAttempt(of step: Step, _ live: LiveSegmentReading, at time: Duration) {
        let lacking = entries.contains { $0.isMissing && $0.missingResource != nil }
        guard lacking || stragglers.contains(where: { $0.missingResource != nil }) else { return }
        if let resource = live.missingResource {
            guard let next = self[step.id]?.nextAttempt else { return }
            updateAll(lacking: resource) { entry in
                entry.nextAttempt = max(entry.nextAttempt, next)
                entry.lastAttempt = time
            }
        } else {
            for resource in [step.segment.keyID, step.segment.initializationID].compactMap(\.self) {
                updateAll(lacking: resource) { entry in
                    entry.nextAttempt = time
                    entry.hasKey = entry.reading?.lacksKey == true
                }
            }
        }
    }

    private mutating func updateAll(lacking resource: LiveSegment.ResourceID, _ change: (inout Entry) -> Void)
    {
        for index in entries.indices where entries[index].missingResource == resource {
            change(&entries[index])
        }
        for index in stragglers.indices where stragglers[index].missingResource == resource {
            change(&stragglers[index])
        }
    }

    /// Records what was stored of a segment.
    mutating func complete(_ id: Int, with read: ReadSegment, at time: Duration) {
        update(id) { entry in
            entry.read = read
            entry.readTime = time
            entry.reserveTagMemory()
        }
    }

    /// Records that the following segments are read before this one.
    mutating func pass(_ id: Int) { update(id) { $0.isPassed = true } }

    /// Whether a segment is judged only after a missing one.
    func isBehind(_ id: Int) -> Bool { entries.first.map { $0.id < id && !$0.isDone } ?? false }

    /// The seconds of media that are listed after a segment that was just read.
    func seconds(after id: Int) -> Double {
        let later = requested.filter { $0.id > id }
        return max(0, waitingSeconds) + later.reduce(0) { $0 + $1.segment.duration }
    }

    /// The media sequence number up to which everything has been read, now that this segment is.
    func position(through segment: LiveSegment) -> Int {
        let missing = requested.first { $0.isMissing && $0.isListed }
        return missing.map { $0.segment.mediaSequence - 1 } ?? lastRequested ?? segment.mediaSequence
    }

    // MARK: Judging

    /// Removes the segments from the front that can be judged now.
    mutating func takeResults(at time: Duration) -> [ReadSegment] {
        var results: [ReadSegment] = []
        while let entry = entries.first {
            let isOverdue =
                entry.isOverdue(at: time) || missingCount > Self.maximumMissingCount
                || entries.contains(where: \.exceedsMemory)
            let isGivenUp =
                entry.isMissing && entry.isPassed && (!entry.isListed || isOverdue)
            guard entry.isDone || isGivenUp, let read = entry.read else { break }
            // A removed element stays in the buffer of a slice.
            entries[entries.startIndex].releaseTags()
            entries.removeFirst()
            results.append(result(of: entry, read, at: time))
            if isGivenUp, let reading = entry.reading, reading.lacksInitialization {
                absentInitialization = reading.missingResource
            }
            if isGivenUp, entry.isListed {
                var straggler = entry
                straggler.read = nil
                straggler.reserveTagMemory()
                if !straggler.exceedsMemory { stragglers.append(straggler) }
                stragglers.removeFirst(max(0, stragglers.count - Self.maximumStragglerCount))
            }
        }
        if entries.startIndex > entries.count { entries = ArraySlice(Array(entries)) }
        for entry in stragglers where entry.isDone {
            guard let read = entry.read else { continue }
            var late = result(of: entry, read, at: time)
            late.isOutOfOrder = true
            results.append(late)
        }
        stragglers.removeAll { $0.isDone && $0.read != nil }
        return results
    }

    /// Returns the failures of segments that are missing for a target duration, if none of two or more can be read.
    ///
    /// Then the segments are not late, but the source fails. Each is returned once.
    mutating func takeFailures(at time: Duration) -> [(segment: LiveSegment, live: LiveSegmentReading)] {
        let late = requested.indices.filter { index in
            entries[index].isMissing && entries[index].reading?.failure != nil
                && time - entries[index].firstAttempt >= entries[index].targetDuration
        }
        guard late.count > 1, let last = late.last, !entries[late[0]...last].contains(where: \.isDone) else {
            return []
        }
        return late.compactMap { index in
            guard !entries[index].isFailureReported, let reading = entries[index].reading else { return nil }
            entries[index].isFailureReported = true
            return (entries[index].segment, reading)
        }
    }

    private func result(of entry: Entry, _ read: ReadSegment, at time: Duration) -> ReadSegment {
        let delay = entry.readTime - entry.firstAttempt
        let isLate =
            entry.isDone && read.live.failure == nil && entry.attemptCount > 1 && delay > entry.targetDuration
        var read = read
        read.age = time - entry.readTime
        read.delay = isLate ? delay : nil
        read.isFailureReported = entry.isFailureReported
        return read
    }

    private var missingCount: Int { requested.count(where: \.isMissing) }

    // MARK: Entries

    /// The entries but the last one if it is being requested for the first time.
    private var requested: ArraySlice<Entry> {
        entries.last?.attemptCount == 0 ? entries.dropLast() : entries
    }

    private subscript(id: Int) -> Entry? {
        index(of: id).map { entries[$0] } ?? stragglers.first { $0.id == id }
    }

    private mutating func update(_ id: Int, _ change: (inout Entry) -> Void) {
        if let index = index(of: id) {
            change(&entries[index])
        } else if let index = stragglers.firstIndex(where: { $0.id == id }) {
            change(&stragglers[index])
        }
    }

    private func index(of id: Int) -> Int? {
        guard let first = entries.first else { return nil }
        let index = entries.startIndex + id - first.id
        return entries.indices.contains(index) ? index : nil
    }
}
