public import MarketProfiles

extension MeasurementSession {
    /// Begins with what the app says of itself.
    @discardableResult
    public func initialize(_ appInfo: MetadataValue) -> CallResult { call(.initialize, appInfo) }

    /// Begins a viewing session of a channel; for the one that is on, it says that it goes on.
    @discardableResult
    public func play(_ channelInfo: MetadataValue = .null, playhead: Double? = nil) -> CallResult {
        call(.play, channelInfo, playhead.map { .number($0) })
    }

    /// Says what is played from now on.
    @discardableResult
    public func loadMetadata(_ metadata: MetadataValue) -> CallResult { call(.loadMetadata, metadata) }

    /// Says that a page is shown.
    @discardableResult
    public func staticStart(_ metadata: MetadataValue) -> CallResult { call(.staticStart, metadata) }

    /// Says that the page is left.
    @discardableResult
    public func staticEnd() -> CallResult { call(.staticEnd) }

    /// Corrects what is played without ending it.
    @discardableResult
    public func updateMetadata(_ metadata: MetadataValue) -> CallResult { call(.updateMetadata, metadata) }

    /// Hands over a tag as text: an owner identifier, or any other form of it.
    ///
    /// - Parameters:
    ///   - tag: the tag, in any form.
    ///   - mediaTime: the playhead at which it is presented, in seconds; nil where it counts at once.
    @discardableResult
    public func sendID3(_ tag: String, mediaTime: Double? = nil) -> CallResult {
        call(.sendID3, .text(tag), mediaTime.map { .number($0) })
    }

    /// Hands over a tag as bytes: a whole ID3 tag, a private frame, or what is in one.
    ///
    /// - Parameters:
    ///   - tag: the tag, in any form.
    ///   - mediaTime: the playhead at which it is presented, in seconds; nil where it counts at once.
    @discardableResult
    public func sendID3(_ tag: [UInt8], mediaTime: Double? = nil) -> CallResult {
        sendID3(HandedTag.text(of: tag), mediaTime: mediaTime)
    }

    /// Says where playback is, every second or two: seconds, or Unix seconds for live.
    @discardableResult
    public func playheadPosition(_ seconds: Double) -> CallResult {
        call(.playheadPosition, .number(seconds))
    }

    /// Says that playback is interrupted; what is held waits.
    @discardableResult
    public func pause(playhead: Double? = nil) -> CallResult {
        call(.pause, playhead.map { .number($0) })
    }

    /// Says that playback is interrupted, or an advertisement over; what is held will not be presented.
    @discardableResult
    public func stop(playhead: Double? = nil) -> CallResult { call(.stop, playhead.map { .number($0) }) }

    /// Says that the content is over.
    @discardableResult
    public func end(playhead: Double? = nil) -> CallResult { call(.end, playhead.map { .number($0) }) }

    /// Says how loud it is, from 0 to 100.
    @discardableResult
    public func setVolume(_ percent: Double) -> CallResult { call(.setVolume, .number(percent)) }

    /// Says whether it is muted.
    @discardableResult
    public func setMute(_ isMuted: Bool) -> CallResult { call(.setMute, .flag(isMuted)) }

    /// Switches measurement off, or on again.
    @discardableResult
    public func appDisableApi(_ isDisabled: Bool) -> CallResult { call(.appDisableApi, .flag(isDisabled)) }

    /// Takes what the opt-out page called; false where that was something else.
    @discardableResult
    public func userOptOut(_ address: String) -> Bool {
        call(.userOptOut, .text(address)).outcome != .ignored
    }

    /// Says what the picture is shown on.
    @discardableResult
    public func updateOTT(_ information: MetadataValue) -> CallResult { call(.updateOTT, information) }

    /// Says how much of the picture is seen.
    @discardableResult
    public func trackViewability(_ series: MetadataValue) -> CallResult { call(.trackViewability, series) }

    /// Says that the app is no longer seen: what waits is sent, and the viewing session ends.
    @discardableResult
    public func appInBackground() -> CallResult { call(.appInBackground) }

    /// Says that the app is seen again.
    @discardableResult
    public func appInForeground() -> CallResult { call(.appInForeground) }

    /// Takes an event of the page or the app, such as `blur` or `focus`.
    @discardableResult
    public func processEvent(_ event: MetadataValue) -> CallResult { call(.processEvent, event) }

    /// Makes a call by the name, or the number, of the browser's form.
    @discardableResult
    public func ggPM(
        _ event: MetadataValue, _ data: MetadataValue = .null, playhead: Double? = nil
    ) -> CallResult {
        call(SessionCall(.ggPM, [event, data] + (playhead.map { [.number($0)] } ?? [])))
    }

    /// Ends the work; the session can be initialized again.
    @discardableResult
    public func free() -> CallResult { call(.free) }

    private func call(_ name: CallName, _ arguments: MetadataValue?...) -> CallResult {
        call(SessionCall(name, arguments.compactMap { $0 }))
    }
}
