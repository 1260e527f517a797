import HLSPlaylist
import HTTPTransfer
import HostSystem
import SegmentDemux

/// One media playlist of a live channel and its segments, loaded over the network.
///
/// Use it from one task only. Between segments it holds the state of the demuxer and the window of the playlist.
///
///     let rendition = LiveRendition(place, of: input)
///     let load = await rendition.load(at: clock.sinceBoot, jitter: .random(in: 0..<1))
///     for segment in load.segments { await process(rendition.read(segment)) }
///     // Repeat `load.update.reloadDelay` after the start of this load.
package final class LiveRendition {
    private let input: LiveInput
    private var follower: PlaylistFollower
    let reader: SegmentReader

    /// The location of the playlist according to the last multivariant playlist.
    private var place: LiveRenditionPlace

    /// The current address of the playlist, after redirects.
    private var address: String

    /// The secrets of the channel and of the addresses of its playlists.
    private var secrets: InputSecrets

    /// The conditional request fields for the version that was loaded last.
    private var validators = HTTPHeaders()

    private var targetSeconds = 6

    /// The measures after failures.
    private var escalation = Escalation()

    /// The identity of the stream in the results for its segments.
    private let stream: ReadStream

    /// Whether the channel no longer has such a rendition, so that another one must be chosen.
    package private(set) var isGone = false

    /// The maximum number of segments that a tag may span on a live channel.
    private static let maximumBegunCount = 16

    /// Creates a rendition without loading anything.
    ///
    /// - Parameter startingAfter: The media sequence number of the last segment read before a restart, or nil to begin
    ///   with the oldest segment of the first playlist.
    package init(_ place: LiveRenditionPlace, of input: LiveInput, startingAfter: Int? = nil) {
        self.input = input
        self.place = place
        address = place.address.text
        secrets = place.secrets
        follower = PlaylistFollower(startingAfter: startingAfter, staleLimit: input.staleLimit)
        var stream = ReadStream(
            source: input.printableURL, rendition: place.id,
            uri: place.uri.map(input.secrets.hidden(inRecordedName:)))
        stream.channel = input.channel
        stream.maximumBegunCount = Self.maximumBegunCount
        stream.limits = DemuxLimits(sharedAmong: place.followedCount)
        self.stream = stream
        reader = SegmentReader(
            stream, reader: ResourceReader(fetcher: input.fetcher, policy: place.policy),
            policy: input.tagPolicy)
    }

    /// Loads the playlist.
    ///
    /// - Parameters:
    ///   - time: The current time of a monotonic clock.
    ///   - jitter: A random number from 0 to 1 that spreads the retries of channels on the same host.
    ///   - awaited: The media sequence numbers of segments from earlier loads that could not be read yet.
    package func load(
        at time: Duration, jitter: Double, awaiting awaited: ClosedRange<Int>? = nil
    ) async -> LivePlaylistLoad {
        let start = input.clock.sinceBoot
        let attempt = await input.fetcher.onThread { await tryToLoad(at: time) }
        let processingStart = input.clock.processorTime
        var update = follower.observe(
            attempt.load, at: time, until: time + (input.clock.sinceBoot - start), jitter: jitter,
            awaiting: awaited)
        if !update.newSegments.isEmpty || update.isEnded { escalation.observeProgress(at: time) }
        update.mapURIs(secrets.hidden(inURL:))
        let listed = update.takeNewSegments()
        let (count, reservation) = input.memory.reserve(listed)
        let new = listed.suffix(count)
        let isShortened = new.count < listed.count
        var load = LivePlaylistLoad(
            update: update, duration: input.clock.sinceBoot - start, secrets: secrets)
        load.failure = attempt.failure.map(secrets.hidden(inError:))
        load.response = attempt.response
        load.isShortened = isShortened
        load.reservation = reservation
        if case .playlist(let playlist) = attempt.load {
            load.exceededLimits = playlist.problems.exceededLimits
        }
        load.segments = new.indices.map { index in
            var listed = new[index]
            let isFirst = index == new.startIndex
            // Data from before a reset of the stream, such as its clock, does not apply to the following segments.
            if isFirst, update.isReset { listed.isDiscontinuity = true }
            var segment = segment(listed, policy: attempt.policy)
            segment.isContinuation = !isFirst || update.isContinuation && !isShortened
            segment.isLast = update.isEnded && index == new.endIndex - 1
            return segment
        }
        load.awaited = update.awaited.map { segment($0, policy: attempt.policy) }
        load.processorTime = attempt.processorTime + (input.clock.processorTime - processingStart)
        return load
    }

    private func segment(_ listed: MediaSegment, policy: AddressPolicy) -> LiveSegment {
        LiveSegment(
            listed: listed, isContinuation: true, isLast: false, playlistAddress: address, policy: policy,
            targetSeconds: targetSeconds, secrets: secrets)
    }

    // MARK: Segments

    /// Reads a segment of the latest load, in order, and reports errors as an outcome.
    package func read(_ segment: LiveSegment) async -> LiveSegmentReading {
        await read(segment, with: reader)
    }

    /// Reads a segment that may be read again: the reader stays in front of a segment that is missing or incomplete.
    ///
    /// - Parameter isComplete: Returns whether nothing will be read again.
    /// - Returns: The reading, and whether it is complete.
    package func attempt(
        _ segment: LiveSegment, isComplete: (LiveSegmentReading) -> Bool
    ) async -> (live: LiveSegmentReading, isComplete: Bool) {
        let live = await read(segment, with: reader)
        observe(live, of: segment)
        let isComplete = isComplete(live)
        if !isComplete { reader.restore(live.checkpoint, wasBegun: live.byteCount > 0) }
        return (live, isComplete)
    }

    /// Returns the time to wait before another request for a segment, or zero if it may be sent now.
    package func delayBeforeRetry(of segment: LiveSegment) -> Duration {
        guard case .network(let url) = segment.resolved.address else { return .zero }
        return input.pace.claim(url)
    }

    /// Advances past a segment that may be read later.
    package func pass(_ segment: LiveSegment) {
        if !segment.isContinuation { reader.interrupt() }
        reader.pass(segment.resolved)
    }

    /// Reads a segment after later ones, from the state before it.
    ///
    /// A tag that continues in the next segment is not complete then.
    package func readLate(
        _ segment: LiveSegment, from earlier: LiveSegmentReading
    ) async -> LiveSegmentReading {
        let late = SegmentReader(stream, reader: reader.reader, policy: input.tagPolicy)
        late.begin(at: earlier.checkpoint)
        let live = await read(segment, with: late)
        // Its failure was counted by the first attempt; later segments may have been read since.
        if live.failure == nil { observe(live, of: segment) }
        return live
    }

    /// Records the outcome, on which the next measures depend.
    private func observe(_ live: LiveSegmentReading, of segment: LiveSegment) {
        if !segment.isGap { escalation.observeSegment(segment.mediaSequence, isFailure: live.failure != nil) }
    }

    private func read(_ segment: LiveSegment, with reader: SegmentReader) async -> LiveSegmentReading {
        let start = input.clock.sinceBoot
        reader.reader.fetcher.limits.maximumSegmentSeconds = 4 * segment.targetSeconds
        reader.reader.policy = segment.policy
        if !segment.isContinuation { reader.interrupt() }
        let resolved = segment.resolved
        let checkpoint = reader.checkpoint
        let read = await input.fetcher.onThread {
            defer { reader.releaseMemory() }
            return await reader.read(resolved, isLast: segment.isLast)
        }
        var missing = read.lacksInitialization ? segment.initializationID : nil
        if case .failed = read.reading.outcome, let key = resolved.encryption?.keyAddress {
            // A missing or wrong key is requested again, by each reader that shares the keys.
            if await !reader.reader.keys.forget(key) { missing = segment.keyID }
        }
        return LiveSegmentReading(
            reading: segment.secrets.hidden(inReading: read), duration: input.clock.sinceBoot - start,
            byteCount: read.byteCount, missingResource: missing, checkpoint: checkpoint)
    }

    // MARK: Loading

    /// The result of a playlist request.
    private struct Attempt {
        var load = PlaylistLoad.failed
        var failure: InputError?
        var response: HTTPResponse?
        var policy = AddressPolicy.publicOnly
        var processorTime = Duration.zero
    }

    /// Loads the playlist, and takes the measures that its trouble requires.
    private func tryToLoad(at time: Duration) async -> Attempt {
        let limit = input.staleLimit.duration(of: .seconds(targetSeconds))
        let attempt: Attempt
        if follower.isEnded {
            attempt = await tryMeasures(for: .ended, after: nil)
        } else if let trouble = escalation.troubleBeforeLoad(at: time, staleAfter: limit) {
            return await tryMeasures(for: trouble, after: nil)
        } else {
            attempt = await request()
        }
        let isFailure = attempt.failure != nil
        let found = escalation.trouble(
            ofLoad: isFailure, status: attempt.response?.status, hasEnded: follower.isEnded)
        guard let trouble = found else { return attempt }
        // The address now has a multivariant playlist, so a rendition must be chosen.
        if place.uri == nil, case .nestedPlaylist = attempt.failure { isGone = true }
        return await tryMeasures(for: trouble, after: attempt)
    }

    /// Tries one measure after the other until the playlist can be loaded.
    ///
    /// - Parameter failed: The failed load; nil if the playlist can be loaded, but is stale, lists missing segments, or
    ///   has ended.
    private func tryMeasures(for trouble: Escalation.Trouble, after failed: Attempt?) async -> Attempt {
        var attempt = failed
        var opened: OpenedInput?
        for measure in escalation.measures(for: trouble) {
            let failure: InputError?
            do throws(InputError) {
                guard try await perform(measure, in: &opened) else { continue }
                if isGone { break }
                escalation.observe(measure)
                let next = await request(isReload: attempt == nil)
                failure = next.failure
                attempt = next
            } catch {
                // The failed lookup is more informative than the expired address.
                if trouble == .expired { attempt?.failure = error }
                continue
            }
            if failure == nil {
                escalation.observeLoaded()
                break
            }
        }
        // The segments of a successful load are relative to its address.
        if attempt?.failure != nil, escalation.returnsToPermanentAddress(after: trouble) {
            begin(at: place.address.text)
        }
        if let attempt { return attempt }
        return await request()
    }

    /// Performs a measure; returns whether the playlist has another address now.
    ///
    /// - Parameter opened: The multivariant playlist, if an earlier measure has loaded it.
    private func perform(
        _ measure: Escalation.Measure, in opened: inout OpenedInput?
    ) async throws(InputError) -> Bool {
        switch measure {
        case .addressBeforeRedirect:
            guard address != place.address.text else { return false }
            begin(at: place.address.text)
            return true
        case .multivariantPlaylist, .redundantVariant:
            guard place.uri != nil else { return false }
            var wanted = place
            if measure == .redundantVariant {
                guard place.redundantCount > 1 else { return false }
                wanted.redundancy = (place.redundancy + 1) % place.redundantCount
            }
            let playlist: OpenedInput
            if let opened { playlist = opened } else { playlist = try await input.openPlaylist() }
            opened = playlist
            guard let found = try input.updated(wanted, in: playlist) else {
                isGone = true
                return true
            }
            let hasMoved = found.address != place.address
            place = found
            begin(at: place.address.text)
            return hasMoved
        }
    }

    private func begin(at address: String) {
        self.address = address
        secrets = address == place.address.text ? place.secrets : place.secrets.including([address])
        validators = HTTPHeaders()
    }

    /// Requests the playlist at its current address.
    ///
    /// - Parameter isReload: Whether this is the regular reload; other requests are limited.
    private func request(isReload: Bool = true) async -> Attempt {
        var attempt = Attempt()
        do throws(InputError) {
            let fetcher = isReload ? input.fetcher : input.paced.fetcher
            let response = try await fetcher.livePlaylist(
                at: address, conditions: validators, policy: place.policy,
                seconds: Self.playlistSeconds(targetSeconds: targetSeconds),
                maximumByteCount: place.maximumByteCount)
            attempt.response = response
            let origin = PlaylistOrigin.network(response.head.remoteAddress.map(AddressScope.init))
            attempt.policy = origin.policyForReferences(allowsPrivateAddresses: input.allowsPrivateAddresses)
            if response.status == 304, !validators.fields.isEmpty {
                attempt.load = .unchanged
                return attempt
            }
            try ResourceFetcher.check(response.head, of: address)
            let start = input.clock.processorTime
            defer { attempt.processorTime = input.clock.processorTime - start }
            attempt.load = .playlist(try playlist(in: response))
        } catch {
            attempt.failure = error
        }
        return attempt
    }

    /// Returns the time limit of a playlist in seconds: two target durations, but at least ten seconds.
    static func playlistSeconds(targetSeconds: Int) -> Int {
        min(max(10, 2 * targetSeconds), InputLimits().maximumPlaylistSeconds)
    }

    private func playlist(in response: HTTPResponse) throws(InputError) -> MediaPlaylist {
        let opened = OpenedInput(
            address: .network(response.url), origin: .network(nil), bytes: response.body, stream: nil)
        let playlist = try opened.mediaPlaylist(importing: place.variables)
        begin(at: response.url)
        if let tag = response.headers["ETag"] { validators.append("If-None-Match", tag) }
        if let date = response.headers["Last-Modified"] { validators.append("If-Modified-Since", date) }
        if let target = playlist.targetDuration { targetSeconds = min(max(1, target), 150) }
        return playlist
    }
}
