import HLSPlaylist

/// The next measure of a live rendition after each failure: the table in docs/monitoring.md.
///
/// It is a value without input or output. The rendition reports each load and each segment, and asks for the measures
/// before and after a request.
struct Escalation: Sendable {
    /// A failure of a rendition, as far as the next measure depends on it.
    enum Trouble: Sendable, CaseIterable {
        /// The playlist was answered with 401, 403, 404 or 410: its address may have expired.
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
    /// The time before which no measures follow for `stale` and `segments`, and the delay of the round after that.
    private var nextRound = Duration.zero
    private var delay: Duration?
    /// The number of rounds of measures for the present trouble of `stale` and `segments`.
    private var roundCount = 0

    // MARK: Observations

    /// Records a load with a new segment: the playlist is back to normal.
    mutating func observeProgress(at time: Duration) {
        lastProgress = time
        if failedSegments == nil { endRounds() }
    }

    /// Records a segment; one that can be read is back to normal.
    mutating func observeSegment(_ number: Int, isFailure: Bool) {
        guard isFailure else {
            failedSegments = nil
            endRounds()
            return
        }
        guard failedSegments?.last != number else { return }
        failedSegments = ((failedSegments?.count ?? 0) + 1, number)
    }

    private mutating func endRounds() {
        delay = nil
        roundCount = 0
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
        roundCount += 1
        return trouble
    }

    /// Records the result of a request for the playlist, and returns its trouble.
    ///
    /// - Parameter status: The status of the response, or nil without one.
    mutating func trouble(ofLoad isFailure: Bool, status: Int?) -> Trouble? {
        guard isFailure else {
            failedLoadCount = 0
            return nil
        }
        failedLoadCount += 1
        return status.map(Self.expiredStatuses.contains) ?? false ? .expired : .failed
    }

    /// Returns the measures for a trouble, to be tried one after the other in the same load until one helps.
    func measures(for trouble: Trouble) -> [Measure] {
        switch trouble {
        case .expired: Measure.allCases
        case .ended: [.multivariantPlaylist, .addressBeforeRedirect]
        case .stale, .segments:
            // A measure that seemed to help, but did not end the trouble, is the last one in the next round.
            Measure.allCases.indices.map {
                Measure.allCases[($0 + max(0, roundCount - 1)) % Measure.allCases.count]
            }
        case .failed:
            failedLoadCount.isMultiple(of: Self.failureCount) ? Measure.allCases : []
        }
    }

    /// Whether the address before the redirect is used from the next load on, without a request in this one.
    func returnsToPermanentAddress(after trouble: Trouble) -> Bool { trouble == .failed }
}
