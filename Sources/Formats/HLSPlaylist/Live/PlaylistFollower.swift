/// Follows a live media playlist: of each load, which segments are new, what is wrong, and when to load again.
///
///     var follower = PlaylistFollower()
///     let update = follower.observe(.playlist(playlist), at: start, jitter: .random(in: 0..<1))
///
/// A live playlist is loaded again and again; between two loads segments join at its end and leave at its start
/// (RFC 8216, 6.2.1, 6.2.2, 6.3.4). Servers also answer with an older version, start over after a failure, and leave out
/// EXT-X-MEDIA-SEQUENCE, so that every version counts from 0. What is remembered of the loads before is at most a window,
/// and at most 128 segments of it.
package struct PlaylistFollower: Sendable {
    private var window = PlaylistWindow()

    /// The number that was read last before a restart; nil once a load was compared with it.
    private var startingAfter: Int?

    /// What is added to the numbers of a playlist that states none.
    private var numberOffset = 0

    /// By how much the playlist's discontinuity sequence numbers differ from those that the loads before lead to.
    private var discontinuityOffset = 0

    /// The date ranges of the loads before whose segments may still be listed.
    private var breakDateRanges = BreakDateRanges()

    private var timing = ReloadTiming()

    /// A hash of the playlist that was loaded last.
    private var version: Int?

    /// The first and the last number of the playlist that was loaded last.
    private var lastListed: ClosedRange<Int>?

    private var isEnded = false

    /// When the first of several loads in a row came that list older segments only.
    private var isOlderSince: Duration?

    /// A follower of a playlist of which nothing was loaded.
    ///
    /// - Parameter startingAfter: the media sequence number that was read last before a restart; nil to begin at the
    ///   oldest segment of the first playlist.
    package init(startingAfter: Int? = nil) { self.startingAfter = startingAfter }

    /// The media sequence number of the newest segment that was given, or that a restart goes on after.
    package var lastMediaSequence: Int? { window.newest ?? startingAfter }

    /// How many segments of earlier loads are remembered.
    package var rememberedCount: Int { window.segments.count }

    /// Takes what came of a load.
    ///
    /// - Parameters:
    ///   - load: what came.
    ///   - time: when the load was started, on a clock that only runs forward.
    ///   - jitter: a random number from 0 to 1, by which many followers of one host do not all try again at once.
    package mutating func observe(
        _ load: PlaylistLoad, at time: Duration, jitter: Double = 0.5
    ) -> PlaylistUpdate {
        switch load {
        case .failed: return PlaylistUpdate(reloadDelay: timing.delayAfterFailure(jitter: jitter))
        case .unchanged:
            var update = PlaylistUpdate(reloadDelay: timing.delay(isChanged: false))
            update.isEnded = isEnded
            tellStale(at: time, in: &update)
            return update
        case .playlist(let playlist): return observe(playlist, at: time)
        }
    }

    private mutating func observe(_ playlist: MediaPlaylist, at time: Duration) -> PlaylistUpdate {
        let hash = playlist.hashValue
        let isChanged = version != hash
        version = hash
        timing.setTargetDuration(of: playlist)
        var update = PlaylistUpdate(reloadDelay: timing.delay(isChanged: isChanged))
        isEnded = !playlist.isLive
        update.isEnded = isEnded
        if !playlist.segments.isEmpty { follow(playlist, at: time, in: &update) }
        if update.newSegments.isEmpty {
            tellStale(at: time, in: &update)
        } else {
            timing.progress(at: time)
        }
        return update
    }

    private mutating func tellStale(at time: Duration, in update: inout PlaylistUpdate) {
        if !isEnded, let unchanged = timing.staleness(at: time) {
            update.tell(.stale(unchangedFor: unchanged, targetDuration: timing.targetDuration))
        }
    }

    // MARK: One playlist

    /// Compares the segments that are listed with those known, and moves past them.
    private mutating func follow(
        _ playlist: MediaPlaylist, at time: Duration, in update: inout PlaylistUpdate
    ) {
        var listed = playlist.segments
        number(&listed, of: playlist)
        let first = listed[0].mediaSequence
        let last = first + listed.count - 1
        var relation = relation(to: listed)
        if case .isOlder(isCertain: false) = relation {
            // A cache that lags catches up; a server that keeps counting from there has started over.
            let since = isOlderSince ?? time
            isOlderSince = since
            if timing.isLate(time - since) { relation = .startsOver }
        }
        let numbers = first - playlist.skippedSegmentCount...last
        if let newest = lastMediaSequence, isBehind(numbers, newest: newest) || relation == .startsOver {
            update.tell(.sequenceBack(newest: newest, found: first))
        }
        lastListed = numbers

        var start = 0
        switch relation {
        case .isOlder: return
        case .continues(let index, let distance):
            start = index
            update.isContinuation = window.newest != nil
            tellReplaced(listed, in: &update)
            window.renumber(by: distance)
        case .jumpsAhead:
            // After a restart it is nobody's fault but ours.
            if let newest = window.newest {
                update.tell(.sequenceGap(expected: newest + 1, found: first))
            }
            beginAnew(in: &update)
        case .startsOver:
            update.isReset = true
            beginAnew(in: &update)
        }
        isOlderSince = nil
        complete(&listed, of: playlist)
        let known = number(discontinuitiesOf: listed, of: playlist, in: &update)
        tellNew(listed[start...], of: playlist, in: &update)
        window.remember(known, from: first - playlist.skippedSegmentCount)
        startingAfter = nil
        update.newSegments = Array(listed[start...])
    }

    /// Forgets the segments that are known: those that are listed do not continue them.
    private mutating func beginAnew(in update: inout PlaylistUpdate) {
        update.isContinuation = false
        window = PlaylistWindow()
        discontinuityOffset = 0
    }

    /// Adds to the segments that are listed what earlier loads said of them.
    ///
    /// A playlist that leaves out its first segments does not repeat their keys and initialization segment, and states
    /// breaks only until their tags leave it.
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
            playlist.breakDateRanges, endingAfter: listed[0].programDateTimeMilliseconds,
            maximumOpenMilliseconds: Self.maximumOpenBreak)
        breakDateRanges.mark(&listed)
    }

    /// Numbers the segments of a playlist that states no numbers by the names of those known.
    private mutating func number(_ listed: inout [MediaSegment], of playlist: MediaPlaylist) {
        // The numbers of a playlist from which nothing is removed are right without a tag.
        if playlist.statesMediaSequence || playlist.playlistType != nil {
            numberOffset = 0
            return
        }
        if let offset = window.offset(in: listed) {
            numberOffset = offset - listed[0].mediaSequence
        } else if let newest = lastMediaSequence {
            // How many are missing nobody can tell: at least one.
            numberOffset = newest + (window.newest == nil ? 1 : 2) - listed[0].mediaSequence
        }
        for index in listed.indices { listed[index].mediaSequence += numberOffset }
    }

    /// Continues a break whose EXT-X-CUE-OUT has left the playlist, up to the first tag that says more.
    private func continueBreak(in listed: inout [MediaSegment], before end: Int) {
        var open: CueBreak?
        for index in listed.indices.prefix(end) {
            if let known = window[listed[index].mediaSequence], known.hasSameResource(as: listed[index]) {
                open = known.cueBreak
            } else if index == 0, let known = window[listed[0].mediaSequence - 1] {
                open = known.cueBreak?.after(segmentSeconds: known.duration)
            }
            let seconds = listed[index].duration
            listed[index].cueBreak = open.flatMap { $0.contains(segmentSeconds: seconds) ? $0 : nil }
            open = open?.after(segmentSeconds: seconds)
        }
    }

    /// How the listed segments go on from those known, or from the number that was read last before a restart.
    private func relation(to listed: [MediaSegment]) -> PlaylistWindow.Relation {
        guard window.newest == nil, let startingAfter else { return window.relation(to: listed) }
        let first = listed[0].mediaSequence
        let last = first + listed.count - 1
        if first > startingAfter { return first == startingAfter + 1 ? .continues(at: 0) : .jumpsAhead }
        if last >= startingAfter { return .continues(at: startingAfter - first + 1) }
        return startingAfter - last <= listed.count ? .isOlder(isCertain: false) : .startsOver
    }

    /// Whether a playlist is behind the one before it, which no server may let happen (RFC 8216, 6.2.2).
    private func isBehind(_ numbers: ClosedRange<Int>, newest: Int) -> Bool {
        guard let lastListed else { return numbers.upperBound < newest }
        return numbers.lowerBound < lastListed.lowerBound || numbers.upperBound < lastListed.upperBound
    }

    // MARK: What is told

    /// Tells the first segment whose number named another one before.
    private func tellReplaced(_ listed: [MediaSegment], in update: inout PlaylistUpdate) {
        for segment in listed {
            guard let known = window[segment.mediaSequence], !known.hasSameResource(as: segment) else {
                continue
            }
            update.tell(
                .segmentReplaced(mediaSequence: segment.mediaSequence, from: known.uri, to: segment.uri))
            return
        }
    }

    /// Tells the first discontinuity sequence number that is not the one that earlier loads lead to, unless it differs
    /// from that by as much as before; gives the segments with the numbers that were to be expected.
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
            if let earlier = window[segment.mediaSequence], earlier.hasSameResource(as: segment) {
                expected = earlier.discontinuitySequence
            } else if let previous {
                expected = previous + (segment.isDiscontinuity ? 1 : 0)
            }
            // How many discontinuities were left out with skipped segments, the playlist does not say.
            if found - expected != discontinuityOffset, playlist.skippedSegmentCount == 0 {
                discontinuityOffset = found - expected
                if discontinuityOffset != 0, !isTold {
                    update.tell(
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

    /// Tells what is wrong with the new segments themselves.
    private func tellNew(
        _ new: ArraySlice<MediaSegment>, of playlist: MediaPlaylist, in update: inout PlaylistUpdate
    ) {
        var previousEnd = new.first.flatMap { window[$0.mediaSequence - 1]?.endMilliseconds }
        for segment in new {
            if let target = playlist.targetDuration, segment.duration.rounded() > Double(target) {
                update.tell(
                    .segmentTooLong(
                        mediaSequence: segment.mediaSequence, seconds: segment.duration,
                        targetDuration: target))
            }
            if let previousEnd, let date = segment.programDateTimeMilliseconds, !segment.isDiscontinuity {
                let (distance, overflow) = date.subtractingReportingOverflow(previousEnd)
                if !overflow, distance.magnitude > Self.dateTolerance {
                    update.tell(.dateJump(mediaSequence: segment.mediaSequence, milliseconds: distance))
                }
            }
            previousEnd = KnownSegment(segment, discontinuitySequence: 0).endMilliseconds
        }
    }

    /// A break whose end nobody states is forgotten after so many milliseconds: the tag that ended it was missed.
    private static let maximumOpenBreak: Int64 = 3_600_000

    /// Milliseconds by which a date may be off: durations in whole seconds are off by half a second each.
    private static let dateTolerance: UInt64 = 1_000
}
