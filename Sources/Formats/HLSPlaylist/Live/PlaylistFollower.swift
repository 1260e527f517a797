/// A state machine for a live media playlist that finds new segments, reports errors and schedules the next load.
///
///     var follower = PlaylistFollower()
///     let update = follower.observe(.playlist(playlist), at: start, jitter: .random(in: 0..<1))
///
/// A client reloads a live playlist repeatedly. Between loads, segments are added at the end and removed at the start
/// (RFC 8216, 6.2.1, 6.2.2, 6.3.4). Servers also return stale versions, restart after a failure, or omit
/// EXT-X-MEDIA-SEQUENCE so that each version counts from 0.
///
/// The follower remembers at most the window of the previous loads, and at most 128 segments of it. Those that the
/// newest load skips take at most 256 KiB.
package struct PlaylistFollower: Sendable {
    private var window = PlaylistWindow()

    /// The last media sequence number read before a restart; nil after the first load was compared with it.
    private var startingAfter: Int?

    /// The offset added to the numbers of a playlist that states none.
    private var numberOffset = 0

    /// The difference between the playlist's discontinuity sequence numbers and those expected from earlier loads.
    private var discontinuityOffset = 0

    /// The date ranges of earlier loads whose segments may still be listed.
    private var breakDateRanges = BreakDateRanges()

    private var timing: ReloadTiming

    /// The hash of the last loaded playlist.
    private var version: Int?

    /// The first and the last media sequence number of the last loaded playlist.
    private var lastListed: ClosedRange<Int>?

    /// Whether the last loaded playlist is complete.
    package private(set) var isEnded = false

    /// The time of the first of several successive loads that list only older segments.
    private var isOlderSince: Duration?

    /// Creates a follower of a playlist that has not been loaded yet.
    ///
    /// - Parameter startingAfter: the last media sequence number read before a restart; nil to begin with the oldest
    ///   segment of the first playlist. A number that no playlist has, as from a damaged file, is ignored.
    /// - Parameter staleLimit: the time without a new segment after which the playlist is reported as stale.
    package init(startingAfter: Int? = nil, staleLimit: StaleLimit = StaleLimit()) {
        timing = ReloadTiming(staleLimit: staleLimit)
        let possible = 0...PlaylistNumber.maximumInteger
        self.startingAfter = startingAfter.flatMap { possible.contains($0) ? $0 : nil }
    }

    /// The media sequence number of the newest returned segment, or the one after which a restart resumes.
    package var lastMediaSequence: Int? { window.newest ?? startingAfter }

    /// The number of remembered segments from earlier loads.
    package var rememberedCount: Int { window.segments.count }

    /// The approximate memory of the remembered segments and date ranges, in bytes.
    package var rememberedByteCount: Int {
        window.segments.reduce(0) { $0 + $1.memoryByteCount }
            + breakDateRanges.ranges.reduce(0) { $0 + MemoryLayout<BreakDateRange>.stride + $1.id.utf8.count }
    }

    /// Processes the result of a load.
    ///
    /// - Parameters:
    ///   - load: the result.
    ///   - time: the start time of the load, on a monotonic clock.
    ///   - end: the time at which it was answered; by default, the start. Before it, nothing shows that the playlist
    ///     has no new segments.
    ///   - jitter: a random number from 0 to 1 that spreads the retries of many followers of one host.
    ///   - awaited: the numbers of segments from earlier loads that could not be read yet.
    package mutating func observe(
        _ load: PlaylistLoad, at time: Duration, until end: Duration? = nil, jitter: Double = 0.5,
        awaiting awaited: ClosedRange<Int>? = nil
    ) -> PlaylistUpdate {
        switch load {
        case _ where isEnded && !load.isPlaylist:
            var update = PlaylistUpdate(reloadDelay: timing.delayAfterEnd(at: time, jitter: jitter))
            update.isEnded = true
            return update
        case .failed: return PlaylistUpdate(reloadDelay: timing.delayAfterFailure(jitter: jitter))
        case .unchanged:
            var update = PlaylistUpdate(reloadDelay: timing.delay(isChanged: false))
            reportStale(at: time, in: &update)
            return update
        case .playlist(let playlist):
            let update = observe(playlist, at: time, jitter: jitter, awaiting: awaited)
            if !update.newSegments.isEmpty { timing.progress(at: end ?? time) }
            return update
        }
    }

    private mutating func observe(
        _ playlist: MediaPlaylist, at time: Duration, jitter: Double, awaiting awaited: ClosedRange<Int>?
    ) -> PlaylistUpdate {
        let isAfterEnd = isEnded && playlist.isLive
        let hash = playlist.hashValue
        let isChanged = version != hash
        version = hash
        timing.setTargetDuration(of: playlist)
        var update = PlaylistUpdate(reloadDelay: timing.delay(isChanged: isChanged))
        isEnded = !playlist.isLive
        update.isEnded = isEnded
        if isEnded {
            update.reloadDelay = timing.delayAfterEnd(at: time, jitter: jitter)
        } else {
            timing.observeLive()
        }
        if !playlist.segments.isEmpty {
            follow(playlist, at: time, isAfterEnd: isAfterEnd, awaiting: awaited, in: &update)
        }
        if update.newSegments.isEmpty { reportStale(at: time, in: &update) }
        return update
    }

    private mutating func reportStale(at time: Duration, in update: inout PlaylistUpdate) {
        if !isEnded, let unchanged = timing.staleness(at: time) {
            update.report(.stale(unchangedFor: unchanged, targetDuration: timing.targetDuration))
        }
    }

    // MARK: One playlist

    /// Compares the listed segments with the known ones and updates the window.
    private mutating func follow(
        _ playlist: MediaPlaylist, at time: Duration, isAfterEnd: Bool, awaiting awaited: ClosedRange<Int>?,
        in update: inout PlaylistUpdate
    ) {
        var listed = playlist.segments
        window.observeNaming(of: listed, isNumbered: playlist.hasValidNumbers)
        number(&listed, of: playlist)
        let first = listed[0].mediaSequence
        let last = first + listed.count - 1
        var relation = relation(to: listed, isAfterEnd: isAfterEnd)
        if case .isOlder(isCertain: false) = relation {
            // A lagging cache catches up; a server that keeps counting from there has restarted.
            let since = isOlderSince ?? time
            isOlderSince = since
            if timing.isLate(time - since) { relation = .startsOver }
        }
        let numbers = first - playlist.skippedSegmentCount...last
        if let newest = lastMediaSequence, isBehind(numbers, newest: newest) || relation == .startsOver {
            update.report(.sequenceBack(newest: newest, found: first))
        }
        lastListed = numbers

        var start = 0
        switch relation {
        case .isOlder: return
        case .continues(let index, let distance):
            start = index
            update.isContinuation = window.newest != nil
            reportReplaced(listed, in: &update)
            window.renumber(by: distance)
            update.renumberedBy = distance
        case .jumpsAhead:
            // A gap after a restart of this process is not the server's fault.
            if let newest = window.newest {
                update.report(.sequenceGap(expected: newest + 1, found: first))
            }
            beginAnew(in: &update)
        case .startsOver:
            update.isReset = true
            beginAnew(in: &update)
        }
        isOlderSince = nil
        complete(&listed, of: playlist)
        let known = number(discontinuitiesOf: listed, of: playlist, in: &update)
        reportErrors(in: listed[start...], of: playlist, in: &update)
        window.remember(known, from: first - playlist.skippedSegmentCount)
        startingAfter = nil
        update.newSegments = Array(listed[start...])
        update.listed = numbers
        if let awaited, !update.isReset {
            update.awaited = listed[..<start].filter {
                awaited.contains($0.mediaSequence - update.renumberedBy)
            }
        }
    }

    /// Forgets the known segments, because the listed ones do not continue them.
    private mutating func beginAnew(in update: inout PlaylistUpdate) {
        update.isContinuation = false
        window.removeAll()
        discontinuityOffset = 0
    }

    /// Completes the listed segments with data from earlier loads.
    ///
    /// A playlist with skipped segments does not repeat their keys and initialization segment. It declares a break only
    /// until the break's tags are removed.
    private mutating func complete(_ listed: inout [MediaSegment], of playlist: MediaPlaylist) {
        if playlist.skippedSegmentCount > 0,
            let known = window[listed[0].mediaSequence] ?? window[listed[0].mediaSequence - 1]
        {
            for index in listed.indices {
                if listed[index].map == nil { listed[index].map = known.map }
                if listed[index].keys.isEmpty { listed[index].keys = known.keys }
            }
        }
        continueBreak(in: &listed, before: playlist.segmentCountBeforeCue ?? listed.count)
        breakDateRanges.merge(
            playlist.breakDateRanges,
            endingAfter: listed.lazy.compactMap(\.programDateTimeMilliseconds).first,
            maximumOpenMilliseconds: Self.maximumOpenBreak)
        breakDateRanges.mark(&listed)
    }

    /// Numbers the segments of a playlist without media sequence numbers by comparing file names with the known ones.
    private mutating func number(_ listed: inout [MediaSegment], of playlist: MediaPlaylist) {
        if playlist.hasValidNumbers {
            numberOffset = 0
            return
        }
        if let offset = window.offset(in: listed) {
            numberOffset = offset - listed[0].mediaSequence
        } else if let newest = lastMediaSequence {
            // The number of missing segments is unknown; it is at least one.
            numberOffset = newest + (window.newest == nil ? 1 : 2) - listed[0].mediaSequence
        }
        for index in listed.indices { listed[index].mediaSequence += numberOffset }
    }

    /// Continues a break whose EXT-X-CUE-OUT was removed from the playlist, up to the next break tag.
    private func continueBreak(in listed: inout [MediaSegment], before end: Int) {
        var open: CueBreak?
        for index in listed.indices.prefix(end) {
            if let known = window[listed[index].mediaSequence],
                known.hasSameResource(as: listed[index], by: window.naming)
            {
                open = known.cueBreak
            } else if index == 0, let known = window[listed[0].mediaSequence - 1] {
                open = known.cueBreak?.after(segmentSeconds: known.duration)
            }
            let seconds = listed[index].duration
            listed[index].cueBreak = open.flatMap { $0.contains(segmentSeconds: seconds) ? $0 : nil }
            open = open?.after(segmentSeconds: seconds)
        }
    }

    /// Returns how the listed segments continue the known ones, or the last number read before a restart.
    private func relation(to listed: [MediaSegment], isAfterEnd: Bool) -> PlaylistWindow.Relation {
        guard window.newest == nil, let startingAfter else {
            return window.relation(to: listed, isAfterEnd: isAfterEnd)
        }
        let first = listed[0].mediaSequence
        let last = first + listed.count - 1
        if first > startingAfter { return first == startingAfter + 1 ? .continues(at: 0) : .jumpsAhead }
        if last >= startingAfter { return .continues(at: startingAfter - first + 1) }
        return startingAfter - last <= listed.count ? .isOlder(isCertain: false) : .startsOver
    }

    /// Returns whether a playlist is older than the previous one, which servers must not serve (RFC 8216, 6.2.2).
    private func isBehind(_ numbers: ClosedRange<Int>, newest: Int) -> Bool {
        guard let lastListed else { return numbers.upperBound < newest }
        return numbers.lowerBound < lastListed.lowerBound || numbers.upperBound < lastListed.upperBound
    }

    // MARK: Events

    /// Reports the first segment whose number identified a different resource before.
    private func reportReplaced(_ listed: [MediaSegment], in update: inout PlaylistUpdate) {
        for segment in listed {
            guard let known = window[segment.mediaSequence],
                !known.hasSameResource(as: segment, by: window.naming)
            else {
                continue
            }
            update.report(
                .segmentReplaced(mediaSequence: segment.mediaSequence, from: known.uri, to: segment.uri))
            return
        }
    }

    /// Reports the first unexpected discontinuity sequence number and returns the segments with the expected numbers.
    ///
    /// A deviation that is the same as before is not reported again.
    private mutating func number(
        discontinuitiesOf listed: [MediaSegment], of playlist: MediaPlaylist, in update: inout PlaylistUpdate
    ) -> [KnownSegment] {
        var known: [KnownSegment] = []
        known.reserveCapacity(min(listed.count, PlaylistWindow.maximumCount))
        var previous = window[listed[0].mediaSequence - 1]?.discontinuitySequence
        var isTold = false
        for segment in listed {
            let found = segment.discontinuitySequence
            var expected = found
            if let earlier = window[segment.mediaSequence],
                earlier.hasSameResource(as: segment, by: window.naming)
            {
                expected = earlier.discontinuitySequence
            } else if let previous {
                expected = previous + (segment.isDiscontinuity ? 1 : 0)
            }
            // The playlist does not state the number of discontinuities among its skipped segments.
            if found - expected != discontinuityOffset, playlist.skippedSegmentCount == 0 {
                discontinuityOffset = found - expected
                if discontinuityOffset != 0, !isTold {
                    update.report(
                        .discontinuitySequence(
                            mediaSequence: segment.mediaSequence, expected: expected, found: found))
                    isTold = true
                }
            }
            known.append(KnownSegment(segment, discontinuitySequence: expected))
            previous = expected
        }
        return known
    }

    /// Reports the errors in the new segments themselves.
    private func reportErrors(
        in new: ArraySlice<MediaSegment>, of playlist: MediaPlaylist, in update: inout PlaylistUpdate
    ) {
        var previousEnd = new.first.flatMap { window[$0.mediaSequence - 1]?.endMilliseconds }
        for segment in new {
            if let target = playlist.targetDuration, segment.duration.rounded() > Double(target) {
                update.report(
                    .segmentTooLong(
                        mediaSequence: segment.mediaSequence, seconds: segment.duration,
                        targetDuration: target))
            }
            if let previousEnd, let date = segment.programDateTimeMilliseconds, !segment.isDiscontinuity {
                let (distance, overflow) = date.subtractingReportingOverflow(previousEnd)
                if !overflow, distance.magnitude > Self.dateTolerance {
                    update.report(.dateJump(mediaSequence: segment.mediaSequence, milliseconds: distance))
                }
            }
            previousEnd = KnownSegment(segment, discontinuitySequence: 0).endMilliseconds
        }
    }

    /// The time in milliseconds after which a break without a known end is forgotten, because its end tag was missed.
    private static let maximumOpenBreak: Int64 = 3_600_000

    /// The tolerated error of a date in milliseconds; durations in whole seconds are off by up to half a second each.
    private static let dateTolerance: UInt64 = 1_000
}

extension MediaPlaylist {
    /// Whether its numbers are those of the segments: it states them, or never removes a segment.
    fileprivate var hasValidNumbers: Bool { statesMediaSequence || playlistType != nil }
}
