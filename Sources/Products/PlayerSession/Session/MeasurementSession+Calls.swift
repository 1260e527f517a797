extension MeasurementSession {
    /// Initializes the session with the app's information.
    @discardableResult
    public func initialize(_ appInfo: MetadataValue) -> CallResult { call(.initialize, appInfo) }

    /// Starts a viewing session of a channel; for the current channel, reports that playback continues.
    @discardableResult
    public func play(_ channelInfo: MetadataValue = .null, playhead: Double? = nil) -> CallResult {
        call(.play, channelInfo, playhead.map { .number($0) })
    }

    /// Describes the asset that plays from now on.
    @discardableResult
    public func loadMetadata(_ metadata: MetadataValue) -> CallResult { call(.loadMetadata, metadata) }

    /// Describes a page that is shown.
    @discardableResult
    public func staticStart(_ metadata: MetadataValue) -> CallResult { call(.staticStart, metadata) }

    /// Reports that the user has left the page.
    @discardableResult
    public func staticEnd() -> CallResult { call(.staticEnd) }

    /// Corrects the metadata of the current asset without ending it.
    @discardableResult
    public func updateMetadata(_ metadata: MetadataValue) -> CallResult { call(.updateMetadata, metadata) }

    /// Hands over a tag as text: an owner identifier, or any other form of a tag.
    ///
    /// - Parameters:
    ///   - tag: the tag, in any form.
    ///   - mediaTime: the playhead at which the tag is presented, in seconds; nil to present it at once.
    @discardableResult
    public func sendID3(_ tag: String, mediaTime: Double? = nil) -> CallResult {
        call(.sendID3, .text(tag), mediaTime.map { .number($0) })
    }

    /// Hands over a tag as bytes: a whole ID3 tag, a private frame, or the content of one.
    ///
    /// - Parameters:
    ///   - tag: the tag, in any form.
    ///   - mediaTime: the playhead at which the tag is presented, in seconds; nil to present it at once.
    @discardableResult
    public func sendID3(_ tag: [UInt8], mediaTime: Double? = nil) -> CallResult {
        sendID3(tag.span, mediaTime: mediaTime)
    }

    /// Hands over a tag in memory that the caller lends for the duration of the call.
    @discardableResult
    package func sendID3(_ tag: Span<UInt8>, mediaTime: Double?) -> CallResult {
        call(SessionCall(tag: tag, mediaTime: mediaTime, keepsBytes: needsArguments))
    }

    /// Reads the tags of a media segment and hands them over, for a player whose demuxer does not.
    ///
    /// The segment is a transport stream, fragmented MP4 or packed audio, whole and decrypted. Feed the segments of a
    /// playlist in order, and an initialization segment before those that it applies to. Each tag is held until the
    /// playhead reaches its place in the segment, so segments can be fed when they are loaded. A tag that another
    /// track, the next segment or another quality repeats at the same position is handed over once. The bytes are read
    /// on the calling thread, and not kept.
    ///
    /// - Parameters:
    ///   - segment: the bytes.
    ///   - position: the playhead at which the segment begins, in seconds; nil to hand over its tags at once.
    ///   - track: the number of the playlist among those that play at the same time, from 0 to 15.
    ///   - isDiscontinuous: whether its timestamps do not continue those of the last segment (`EXT-X-DISCONTINUITY`).
    ///   - followsJump: whether it is the first segment after a jump; all tags from there on are handed over again.
    /// - Returns: the numbers of tags; nil if the bytes are not a segment, such as an encrypted or an empty one.
    @discardableResult
    public func feedSegment(
        _ segment: [UInt8], at position: Double? = nil, track: Int = 0, isDiscontinuous: Bool = false,
        followsJump: Bool = false
    ) -> FedSegment? {
        precondition(0..<SegmentFeed.trackCount ~= track, "a track is from 0 to 15")
        var description = SegmentFeed.Segment(at: position)
        description.track = track
        description.isDiscontinuous = isDiscontinuous
        description.followsJump = followsJump
        return feedSegment(segment.span, description)
    }

    /// Reads the tags of a segment in memory that the caller lends for the duration of the call, and hands them over.
    package func feedSegment(_ bytes: Span<UInt8>, _ segment: SegmentFeed.Segment) -> FedSegment? {
        guard let (tags, repeatCount) = segments.read(bytes, segment) else { return nil }
        for tag in tags { sendID3(tag.bytes, mediaTime: tag.mediaTime) }
        return FedSegment(tagCount: tags.count, repeatCount: repeatCount)
    }

    /// Reports the playback position in seconds, every second or two; Unix time for live streams.
    @discardableResult
    public func playheadPosition(_ seconds: Double) -> CallResult {
        call(.playheadPosition, .number(seconds))
    }

    /// Reports that playback is interrupted; held tags stay held.
    @discardableResult
    public func pause(playhead: Double? = nil) -> CallResult {
        call(.pause, playhead.map { .number($0) })
    }

    /// Reports that playback is interrupted or an advertisement is over; held tags will not be presented.
    @discardableResult
    public func stop(playhead: Double? = nil) -> CallResult { call(.stop, playhead.map { .number($0) }) }

    /// Reports that the content is over.
    @discardableResult
    public func end(playhead: Double? = nil) -> CallResult { call(.end, playhead.map { .number($0) }) }

    /// Reports the volume, from 0 to 100.
    @discardableResult
    public func setVolume(_ percent: Double) -> CallResult { call(.setVolume, .number(percent)) }

    /// Reports whether the sound is muted.
    @discardableResult
    public func setMute(_ isMuted: Bool) -> CallResult { call(.setMute, .flag(isMuted)) }

    /// Disables measurement, or enables it again.
    @discardableResult
    public func appDisableApi(_ isDisabled: Bool) -> CallResult { call(.appDisableApi, .flag(isDisabled)) }

    /// Applies the address that the opt-out page opened; returns false for any other address.
    @discardableResult
    public func userOptOut(_ address: String) -> Bool {
        call(.userOptOut, .text(address)).outcome != .ignored
    }

    /// Describes the device that shows the picture.
    @discardableResult
    public func updateOTT(_ information: MetadataValue) -> CallResult { call(.updateOTT, information) }

    /// Reports how much of the picture is visible.
    @discardableResult
    public func trackViewability(_ series: MetadataValue) -> CallResult { call(.trackViewability, series) }

    /// Reports that the app is in the background: waiting tags are sent, and the viewing session ends.
    @discardableResult
    public func appInBackground() -> CallResult { call(.appInBackground) }

    /// Reports that the app is in the foreground again.
    @discardableResult
    public func appInForeground() -> CallResult { call(.appInForeground) }

    /// Reports an event of the page or the app, such as `blur` or `focus`.
    @discardableResult
    public func processEvent(_ event: MetadataValue) -> CallResult { call(.processEvent, event) }

    /// Makes a call in the browser's form, by its name or its number.
    @discardableResult
    public func ggPM(
        _ event: MetadataValue, _ data: MetadataValue = .null, playhead: Double? = nil
    ) -> CallResult {
        call(SessionCall(.ggPM, [event, data] + (playhead.map { [.number($0)] } ?? [])))
    }

    /// Makes the only call of the Simplified API, which describes everything in one object: the kind of the event, the
    /// asset, the playhead, and the newest tag.
    ///
    /// It is translated into the equivalent calls, in the required order.
    @discardableResult
    public func trackEvent(_ data: MetadataValue) -> CallResult { call(.trackEvent, data) }

    /// Shuts the session down; it can be initialized again.
    @discardableResult
    public func free() -> CallResult { call(.free) }

    private func call(
        _ name: CallName, _ argument: MetadataValue? = nil, _ playhead: MetadataValue? = nil
    ) -> CallResult {
        let arguments: [MetadataValue] =
            switch (argument, playhead) {
            case (let argument?, let playhead?): [argument, playhead]
            case (let only?, nil), (nil, let only?): [only]
            case (nil, nil): []
            }
        return call(SessionCall(name, arguments))
    }
}
