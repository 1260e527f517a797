import ExtremeMutation
import HLSPlaylist

/// Reads the input as a playlist, resolves its URIs, and follows it over loads of parts of the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var total = 0
    let half = read(bytes.span.extracting(0..<bytes.count / 2))
    let whole = read(bytes.span)
    if let problems = whole?.problems {
        precondition(problems.first.count <= PlaylistProblems.maximumListed)
        precondition(problems.first.count <= problems.count)
    }
    switch whole {
    case .media(let playlist):
        for (index, segment) in playlist.segments.enumerated() {
            precondition(segment.duration >= 0 && segment.duration.isFinite)
            precondition(segment.mediaSequence == playlist.segments[0].mediaSequence + index)
            precondition(
                segment.key?.initializationVector(mediaSequence: segment.mediaSequence).count ?? 16 == 16)
            total &+= URIReference.resolve(segment.uri, against: "http://a/b/c?d").utf8.count
            total &+= URIReference.filePaths(for: segment.uri).count
        }
        total &+= follow([
            half, whole, half, read(bytes.span.extracting(bytes.count / 3..<bytes.count)), whole,
        ])
    case .multivariant(let playlist):
        let audio = playlist.defaultAudioByGroup()
        for variant in playlist.variants {
            total &+= audio[variant.audioGroupID ?? ""]?.name.utf8.count ?? 0
        }
        precondition((playlist.lowestBandwidthVariant == nil) == playlist.variants.isEmpty)
        precondition((playlist.highestBandwidthVariant == nil) == playlist.variants.isEmpty)
    case nil: break
    }
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}

/// Follows versions of a playlist: the numbers of the new segments rise by one, and a repeated load has no new segment.
private func follow(_ versions: [Playlist?]) -> Int {
    var follower = PlaylistFollower()
    var total = 0
    for (index, version) in versions.enumerated() {
        var load = PlaylistLoad.failed
        if case .media(let playlist) = version { load = .playlist(playlist) }
        let time = Duration.seconds(7 * index)
        let update = follower.observe(load, at: time)
        precondition(update.reloadDelay > .zero && update.reloadDelay <= .seconds(3_600))
        precondition(update.events.count <= PlaylistUpdate.maximumEventCount)
        precondition(follower.rememberedCount <= 128)
        for (index, segment) in update.newSegments.enumerated() {
            precondition(segment.mediaSequence == update.newSegments[0].mediaSequence + index)
        }
        precondition(follower.observe(load, at: time).newSegments.isEmpty)
        total &+= update.newSegments.count
    }
    return total
}

private func read(_ bytes: Span<UInt8>) -> Playlist? {
    do throws(PlaylistError) {
        return try Playlist(parsing: bytes, importing: ["i": "{$i}"], address: "http://a/b?q=1")
    } catch {
        precondition(error.line > 0)
        return nil
    }
}
