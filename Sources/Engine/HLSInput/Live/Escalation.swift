import HLSPlaylist

/// The next measure of a live rendition after each failure: the table in docs/monitoring.md.
///
/// It is a value without input or output. The rendition reports each load and each segment, and asks for the measures
/// before and after a request.
struct Escalation: Sendable {
    /// A failure of a rendition, as far as the next measure depends on it.
    enum Trouble: Sendable, CaseIterable {
        /// The playlist was answered with 401, 403, 404 or 410, or had ended: its address may have expired.
        case expired
        /// The playlist could not be loaded for another reason, or the answer is not a media playlist.
        case failed
        /// The playlist can be loaded, but lists no new segment.
        case stale
        /// The playlist lists new segments, but they cannot be read.
        case segments
        /// The playlist is complete; a new stream may have another address.
        case ended
    }

    /// A measure, in the order in which they are tried.
    enum Measure: Sendable, CaseIterable {
        /// Load the address before the redirect, which is permanent.
        case addressBeforeRedirect
        /// Load the multivariant playlist, which may list a new address of the rendition.
        case multivariantPlaylist
        /// Load the redundant variant: another address with the same attributes.
        case redundantVariant
    }

    /// The statuses of an address that may have expired.
    private static let expiredStatuses: Set<Int> = [401, 403, 404, 410]
    /// The number of consecutive failed loads, and its multiples, after which measures follow for `failed`.
    private static let failureCount = 3
    /// The number of consecutive segments that cannot be read after which measures follow.
    private static let segmentCount = 2
    /// The longest delay between two rounds of measures for `stale` and `segments`.
    private static let longestDelay = Duration.seconds(300)

    /// The number of consecutive failed loads.
    private var failedLoadCount = 0
    /// The consecutive segments that cannot be read: their number, and the media sequence number of the last.
    private var failedSegments: (count: Int, last: Int)?
    /// The time of the newest segment, or of the first load.
    private var lastProgress: Duration?
    /// The measure that was taken last since the playlist was normal, after which the next round begins.
    private var lastMeasure: Measure?
    /// The time before which no measures follow for `stale` and `segments`, and the delay of the round after that.
    private var nextRound = Duration.zero
    private var delay: Duration?

    // MARK: Observations

    /// Records a load with a new segment: the playlist is back to normal.
    mutating func observeProgress(at time: Duration) {
        lastProgress = time
        if failedSegments == nil { returnToNormal() }
    }

    /// Records a segment; one that can be read is back to normal.
    mutating func observeSegment(_ number: Int, isFailure: Bool) {
        guard isFailure else {
            failedSegments = nil
            returnToNormal()
            return
        }
        guard failedSegments?.last != number else { return }
        failedSegments = ((failedSegments?.count ?? 0) + 1, number)
    }

    /// Records a measure that led to a request.
    mutating func observe(_ measure: Measure) { lastMeasure = measure }

    private mutating func returnToNormal() {
        delay = nil
        lastMeasure = nil
    }

    // MARK: Measures

    /// Returns the trouble of a rendition before a load, which is of its playlist or of its segments, or nil.
    ///
    /// Each trouble is returned once, and again after a delay that doubles up to five minutes.
    mutating func troubleBeforeLoad(at time: Duration, staleAfter limit: Duration) -> Trouble? {
        guard let lastProgress else {
            self.lastProgress = time
            return nil
        }
        let trouble: Trouble
        if let failedSegments, failedSegments.count >= Self.segmentCount {
            trouble = .segments
        } else if failedLoadCount == 0, time - lastProgress > limit {
            trouble = .stale
        } else {
            return nil
        }
        if let delay {
            guard time >= nextRound else { return nil }
            self.delay = min(delay * 2, Self.longestDelay)
        } else {
            delay = limit
        }
        nextRound = time + (delay ?? limit)
        return trouble
    }

    /// Records the result of a request for the playlist, and returns its trouble.
    ///
    /// - Parameters:
    ///   - status: The status of the response, or nil without one.
    ///   - hasEnded: Whether the playlist had ended: it is loaded rarely, so its first failure counts.
    mutating func trouble(ofLoad isFailure: Bool, status: Int?, hasEnded: Bool = false) -> Trouble? {
        guard isFailure else {
            observeLoaded()
            return nil
        }
        failedLoadCount += 1
        return hasEnded || status.map(Self.expiredStatuses.contains) ?? false ? .expired : .failed
    }

    /// Records that a measure has helped.
    mutating func observeLoaded() { failedLoadCount = 0 }

    /// Returns the measures for a trouble, to be tried one after the other in the same load until one helps.
    ///
    /// A playlist that can be loaded may still be stale, so each round of `stale` and `segments` begins after the
    /// measure of the last one.
    func measures(for trouble: Trouble) -> [Measure] {
        let all = Measure.allCases
        switch trouble {
        case .expired: return all
        case .ended: return [.multivariantPlaylist, .addressBeforeRedirect]
        case .stale, .segments:
            let start = lastMeasure.flatMap(all.firstIndex).map { $0 + 1 } ?? 0
            return Array(all[start...] + all[..<start])
        case .failed: return failedLoadCount.isMultiple(of: Self.failureCount) ? all : []
        }
    }

    /// Whether the address before the redirect is used from the next load on, if the measures did not help.
    func returnsToPermanentAddress(after trouble: Trouble) -> Bool { trouble == .failed }
}
