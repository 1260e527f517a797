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
    private let reader: SegmentReader

    /// The location of the playlist according to the last multivariant playlist.
    private var place: LiveRenditionPlace

    /// The current address of the playlist, after redirects.
    private var address: String

    /// The secrets of the channel and of the addresses of its playlists.
    private var secrets: InputSecrets

    /// The conditional request fields for the version that was loaded last.
    private var validators = HTTPHeaders()

    private var targetSeconds = 6

    /// The number of consecutive failed loads.
    private var failureCount = 0

    /// The number of consecutive failures after which the multivariant playlist is consulted again.
    private static let reopeningFailureCount = 3

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
        reader = SegmentReader(
            stream, reader: ResourceReader(fetcher: input.fetcher, policy: place.policy),
            policy: input.tagPolicy)
    }

    /// Loads the playlist.
    ///
    /// - Parameters:
    ///   - time: The current time of a monotonic clock.
    ///   - jitter: A random number from 0 to 1 that spreads the retries of channels on the same host.
    package func load(at time: Duration, jitter: Double) async -> LivePlaylistLoad {
        let start = input.clock.sinceBoot
        let attempt = await input.fetcher.onThread { await tryToLoad() }
        let processingStart = input.clock.processorTime
        var update = follower.observe(attempt.load, at: time, jitter: jitter)
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
            return LiveSegment(
                listed: listed, isContinuation: !isFirst || update.isContinuation && !isShortened,
                isLast: update.isEnded && index == new.endIndex - 1,
                playlistAddress: address, policy: attempt.policy, targetSeconds: targetSeconds,
                secrets: secrets)
        }
        load.processorTime = attempt.processorTime + (input.clock.processorTime - processingStart)
        return load
    }

    /// Reads a segment of the latest load, in order, and reports errors as an outcome.
    package func read(_ segment: LiveSegment) async -> LiveSegmentReading {
        let start = input.clock.sinceBoot
        reader.reader.fetcher.limits.maximumSegmentSeconds = 4 * segment.targetSeconds
        reader.reader.policy = segment.policy
        if !segment.isContinuation { reader.interrupt() }
        let resolved = segment.resolved
        let read = await input.fetcher.onThread {
            defer { reader.releaseMemory() }
            return await reader.read(resolved, isLast: segment.isLast)
        }
        if case .failed = read.reading.outcome, resolved.encryption != nil {
            // A missing or wrong key is requested again.
            reader.reader.keys = KeyRing(fetcher: input.fetcher)
        }
        return LiveSegmentReading(
            reading: segment.secrets.hidden(inReading: read), duration: input.clock.sinceBoot - start,
            byteCount: read.byteCount)
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

    /// Loads the playlist, and retries at its current address if the known one has expired.
    private func tryToLoad() async -> Attempt {
        var attempt = await request()
        guard attempt.failure != nil else {
            failureCount = 0
            return attempt
        }
        failureCount += 1
        // The target of a redirect may have expired; the address before the redirect is permanent.
        let wasRedirected = address != place.address.text
        begin(at: place.address.text)
        let hasExpired = [403, 404, 410].contains(attempt.response?.status)
        // The address now has a multivariant playlist, so a rendition must be chosen.
        if place.uri == nil, case .nestedPlaylist = attempt.failure { isGone = true }
        guard hasExpired || failureCount.isMultiple(of: Self.reopeningFailureCount) else { return attempt }
        guard place.uri != nil else { return hasExpired && wasRedirected ? await request() : attempt }
        do throws(InputError) {
            guard let found = try await input.reopen(place) else {
                isGone = true
                return attempt
            }
            // The playlist may have moved to another host; if the address is unchanged, a retry would fail again.
            let hasMoved = found.address != place.address
            place = found
            begin(at: place.address.text)
            return hasExpired || hasMoved ? await request() : attempt
        } catch {
            // The failed lookup is more informative than the expired address.
            if hasExpired { attempt.failure = error }
            return attempt
        }
    }

    private func begin(at address: String) {
        self.address = address
        secrets = address == place.address.text ? place.secrets : place.secrets.including([address])
        validators = HTTPHeaders()
    }

    private func request() async -> Attempt {
        var attempt = Attempt()
        do throws(InputError) {
            let response = try await input.fetcher.livePlaylist(
                at: address, conditions: validators, policy: place.policy,
                seconds: min(max(10, 2 * targetSeconds), InputLimits.maximumPlaylistSeconds),
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
