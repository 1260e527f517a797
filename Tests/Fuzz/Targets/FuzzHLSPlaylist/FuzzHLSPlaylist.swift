import HLSPlaylist

/// Reads the input as a playlist, resolves what it names, and advances a position over it and half of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer lends `count` bytes for the length of the call.
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
        var position = PlaylistPosition()
        if case .media(let earlier) = half { total &+= position.advance(to: earlier).segments.count }
        let advance = position.advance(to: playlist)
        precondition(advance.missedCount >= 0)
        precondition(position.advance(to: playlist).isReset == false)
        total &+= advance.segments.count
    case .multivariant(let playlist):
        for variant in playlist.variants {
            total &+= playlist.defaultAudio(of: variant)?.name.utf8.count ?? 0
        }
        precondition((playlist.lowestBandwidthVariant == nil) == playlist.variants.isEmpty)
        precondition((playlist.highestBandwidthVariant == nil) == playlist.variants.isEmpty)
    case nil: break
    }
    // The result must be used, or a release build would leave the work out.
    return total == .min ? 1 : 0
}

private func read(_ bytes: Span<UInt8>) -> Playlist? {
    do throws(PlaylistError) {
        return try Playlist(parsing: bytes, importing: ["i": "{$i}"], address: "http://a/b?q=1")
    } catch {
        precondition(error.line > 0)
        return nil
    }
}
