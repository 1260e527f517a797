import HLSInput
import HLSPlaylist
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth

/// The counters and the recent history of a channel, for its pages and metrics.
struct ChannelStatus: Sendable {
    /// The state and the counters that pages show.
    var snapshot: ChannelSnapshot
    /// The counters for the metrics.
    var counters = ChannelCounters()
    /// The last tags without duplicates, newest last.
    private(set) var lastTags: [ReadTag] = []
    /// The maximum number of last tags.
    private static let maximumLastTagCount = 10
    /// The plots of the renditions.
    private(set) var tracks: [RenditionID: LiveTrack] = [:]
    /// The maximum number of renditions with a plot.
    private static let maximumTrackCount = 4
    /// The media time of the last DATA tag in each rendition.
    private var lastSeconds: [RenditionID: Double] = [:]

    /// A tag with the time when it was read.
    struct ReadTag: Sendable {
        /// The time when it was read.
        let time: WallTime
        /// The tag.
        let tag: TagOccurrence
    }

    /// Creates the status of a channel that has just been added.
    init(_ settings: ChannelSettings) {
        snapshot = ChannelSnapshot(id: settings.id, name: settings.name)
        snapshot.mayEnd = settings.mayEnd
    }

    // MARK: Playlists and segments

    /// Counts a load of a rendition's playlist.
    mutating func observe(_ load: LivePlaylistLoad, of rendition: RenditionID) {
        counters.observe(load, of: rendition)
    }

    /// Counts a failure to open the channel.
    mutating func observeFailureToOpen() { counters.observeFailureToOpen() }

    /// Measures no spacing across this point, because other renditions are followed.
    mutating func restartSpacing() { lastSeconds = [:] }

    /// Counts a segment, and adds it and its tags to the plot of the rendition.
    ///
    /// - Parameter name: The name of the rendition for the plot; nil for the only one.
    mutating func observe(_ read: ReadSegment, named name: String?) {
        counters.segmentByteCount += read.live.byteCount
        if read.isGap {
            counters.skippedSegmentCount += 1
        } else if read.live.failure != nil {
            snapshot.failedSegmentCount += 1
        } else {
            snapshot.segmentCount += 1
        }
        snapshot.secondsBehindLive = read.behindLive
        draw(read, named: name)
    }

    /// Counts the tags of a segment that was just read.
    mutating func countTags(of read: ReadSegment, at reading: ClockReading) {
        let rendition = read.rendition
        if !read.isClockContinuous { lastSeconds[rendition] = nil }
        snapshot.tagCount += UInt64(read.newTags.count)
        counters.count(read.newTags)
        guard !read.tags.isEmpty else { return }
        snapshot.lastTagTime = read.wallTime.unixMilliseconds
        lastTags += read.newTags.map { ReadTag(time: read.wallTime, tag: $0) }
        lastTags.removeFirst(max(0, lastTags.count - Self.maximumLastTagCount))
        if let time = read.newTags.last(where: { $0.validKind == .data })?.tag.lastTime {
            snapshot.tagTime = .init(live: Double(time) + read.behindLive, reading: reading)
        }
        for tag in read.tags where tag.tag.kind == .data {
            guard let seconds = tag.seconds else { continue }
            if let last = lastSeconds[rendition], seconds > last {
                snapshot.spacing = seconds - last
                counters.observe(spacing: seconds - last)
            }
            lastSeconds[rendition] = seconds
        }
    }

    private mutating func draw(_ read: ReadSegment, named name: String?) {
        let rendition = read.rendition
        guard tracks[rendition] != nil || tracks.count < Self.maximumTrackCount else { return }
        // Take the track out of the dictionary to avoid a copy.
        var track = tracks.removeValue(forKey: rendition) ?? LiveTrack(name: name)
        // The name changes if the playlists are opened again under other addresses.
        track.name = name
        let observation = read.live.reading.observation
        track.append(
            observation.segment, tags: observation.tags + observation.trailingTags,
            clockGoesOn: read.isClockContinuous, behindLive: read.behindLive, at: read.wallTime)
        tracks[rendition] = track
    }

    // MARK: Health and alerts

    /// Counts a finding, and marks it in the plots.
    mutating func observe(_ check: CheckID, _ finding: Finding) {
        snapshot.problemCount += 1
        counters.count(check)
        if let rendition = finding.place.renditionID { tracks[rendition]?.mark(check, finding) }
    }

    /// Copies the state of the health and the number of open alerts.
    mutating func observe(_ health: ChannelHealth) {
        snapshot.state = health.state
        snapshot.isSilent = health.isSilent
        snapshot.lastDataTagTime = health.lastTagTime?.unixMilliseconds
        snapshot.stateTime = health.stateSince.unixMilliseconds
        snapshot.alertCount = health.openAlertCount
        snapshot.backup = health.backupUse.map { .init(since: $0.since.unixMilliseconds, reason: $0.reason) }
    }
}

/// A segment that was read, with its new tags.
struct ReadSegment: Sendable {
    /// The segment in its playlist.
    let segment: LiveSegment
    /// The result of reading it.
    let live: LiveSegmentReading
    /// The rendition.
    let rendition: RenditionID
    /// The tags that are not duplicates.
    let newTags: [TagOccurrence]
    /// The duration of the media that the playlist lists after the segment, in seconds.
    let behindLive: Double
    /// The time after reading it.
    let wallTime: WallTime

    /// The tags of the segment.
    var tags: [TagOccurrence] { live.reading.tags }
    /// The approximate memory of the tags in bytes.
    var tagByteCount: Int { live.tagByteCount + newTags.count * MemoryLayout<TagOccurrence>.stride }
    /// Whether the playlist marks the segment as missing.
    var isGap: Bool { segment.isGap }
    /// Whether the media clock is continuous with the segment before, so that spacing is measured across the boundary.
    var isClockContinuous: Bool { segment.isContinuation && !segment.isDiscontinuity }
}
