import ID3v2
import NielsenID3
import TagRecord

/// The records of playback beside its tags: what they say of the app, the asset, the device and the user's choice, and
/// when they are written.
struct PlaybackRecords: Sendable {
    /// The user's choice, which is part of every record.
    private(set) var choice = OptOutChoice()
    private var app: AppSession
    private var plays: AssetPlays
    private var progress = AssetProgress()
    private var device = DeviceStatus()
    private let makeID: @Sendable () -> String

    init(makeID: @escaping @Sendable () -> String) {
        self.makeID = makeID
        app = AppSession(makeID: makeID)
        plays = AssetPlays(makeID: makeID)
    }

    // MARK: The app, the channel and the asset

    /// Begins the app session of an app that has been initialized.
    mutating func begin(_ information: Metadata, market: String?, _ step: inout SessionStep) {
        if app.isOther(information, market: market) {
            endRun(&step)
            app.begin(information, market: market)
        }
        beginRun(&step)
    }

    /// Ends the app session, and forgets the channel and the device.
    mutating func end(_ step: inout SessionStep) {
        endRun(&step)
        app.end()
        plays = AssetPlays(makeID: makeID)
        device = DeviceStatus()
    }

    /// Begins to measure how long the app runs in the foreground.
    mutating func beginRun(_ step: inout SessionStep) { app.beginRun(at: step) }

    /// Writes how long the app ran in the foreground, unless that is written already.
    mutating func endRun(_ step: inout SessionStep) {
        guard let record = app.endRun(choice, at: step), writes(by: step.policy) else { return }
        announceApp(&step)
        step.write(.store(.player(record)))
    }

    /// Adopts a choice of the user, with another app session.
    mutating func adopt(_ choice: OptOutChoice, _ step: inout SessionStep) {
        let isRunning = app.isRunning
        // Nothing is recorded of an app whose user opts out at once.
        if !app.isPending { endRun(&step) }
        app.renew()
        self.choice = choice
        if isRunning { beginRun(&step) }
    }

    /// Adopts the channel information of `play`, if there is any.
    ///
    /// - Parameter isOther: whether it is about another viewing session, and not more about this one.
    mutating func describe(
        _ information: Metadata?, isOther: Bool, in viewing: Viewing, of asset: PlayedAsset?
    ) {
        plays.follow(viewing: viewing.count, hasAsset: asset != nil)
        if let information { plays.describe(information, isOther: isOther) }
    }

    /// Forgets the channel information, because another channel plays.
    mutating func forgetChannel() { plays.forgetChannel() }

    /// Adopts an asset, whose record then waits unless it tells nothing new.
    ///
    /// - Parameter isOther: whether it replaces another one, or starts again.
    mutating func load(
        _ next: PlayedAsset, after last: PlayedAsset?, isOther: Bool, in viewing: Viewing
    ) {
        let isNews = isOther || !(last?.metadata.says(the: next.metadata) ?? false)
        plays.follow(viewing: viewing.count, hasAsset: last != nil)
        if isNews { plays.load(next, isOther: isOther) }
    }

    // MARK: Playback and the device

    /// Whether the player has reported anything about the asset, other than tags.
    var hasPlayback: Bool { progress.isWorthRecording }

    /// Whether the asset has a playhead.
    var hasPlayhead: Bool { progress.range != nil }

    /// Begins to measure how long a page is viewed.
    mutating func view(_ asset: PlayedAsset, _ step: inout SessionStep) {
        if asset.isPage { progress.view(at: step) }
    }

    /// Records a playhead of an asset.
    mutating func move(to position: Double, _ movement: Playhead.Movement, _ step: inout SessionStep) {
        let isFirst = progress.begin(at: step)
        progress.move(to: position, movement, at: step)
        if isFirst { recordDevice(&step) }
    }

    /// Records that playback is interrupted.
    mutating func interrupt(at time: Duration, wall: WallTime) { progress.interrupt(at: time, wall: wall) }

    /// Records a change of the device that a call reports; nil if the call is invalid.
    mutating func change(_ change: DeviceStatus.Change?, in viewing: Viewing, _ step: inout SessionStep) {
        guard let change, step.policy.keepsRecords else { return step.drop() }
        if viewing.isOpen { begin(&step) }
        if device.apply(change), viewing.isOpen { record(change, isNew: true, &step) }
    }

    /// Records series of viewability.
    mutating func track(_ series: MetadataValue?, in viewing: Viewing, _ step: inout SessionStep) {
        guard viewing.isOpen, step.policy.keepsRecords else {
            if !viewing.isOpen { step.find(.callOutOfOrder) }
            return step.drop()
        }
        begin(&step)
        if !progress.track(series, &step) { step.drop() }
    }

    /// Begins to record the playback of an asset, with the state of the device.
    private mutating func begin(_ step: inout SessionStep) {
        if progress.begin(at: step) { recordDevice(&step) }
    }

    private mutating func recordDevice(_ step: inout SessionStep) {
        for change in device.changes { record(change, isNew: false, &step) }
    }

    private mutating func record(_ change: DeviceStatus.Change, isNew: Bool, _ step: inout SessionStep) {
        let withholding = choice.withholding(step.policy)
        if !progress.change(change, isNew: isNew, withholding: withholding, at: step) { step.drop() }
    }

    // MARK: Writing

    /// Writes the record of the content that an advertisement is sent with.
    ///
    /// It may never start (guide 003, "Putting it all together").
    mutating func expect(_ content: PlayedAsset, in viewing: Viewing, _ step: inout SessionStep) {
        plays.follow(viewing: viewing.count, hasAsset: true)
        guard let viewed = viewing.current?.place, let id = plays.expect(content), writes(by: step.policy)
        else { return }
        announceApp(&step)
        var place = complete(viewed, content, playhead: nil, step.policy)
        place.assetPlay = id
        let withholding = choice.withholding(step.policy)
        step.write(.store(.player(plays.record(of: content, at: place, withholding: withholding))))
    }

    /// Returns whether `announce` has nothing to write for the viewing session with a number.
    func isSettled(in number: Int) -> Bool {
        !app.isPending && !plays.isPending && plays.viewing == number
    }

    /// Writes the records that the next one refers to: of the app, and of the asset.
    mutating func announce(_ asset: PlayedAsset?, in viewing: Viewing, _ step: inout SessionStep) {
        plays.follow(viewing: viewing.count, hasAsset: asset != nil)
        guard app.isPending || plays.isPending, writes(by: step.policy) else { return }
        announceApp(&step)
        guard plays.isPending, let viewed = viewing.current?.place else { return }
        let place = complete(viewed, asset, playhead: nil, step.policy)
        let withholding = choice.withholding(step.policy)
        step.write(.store(.player(plays.record(of: asset, at: place, withholding: withholding))))
        plays.settle()
    }

    private mutating func announceApp(_ step: inout SessionStep) {
        if app.isPending { step.write(.store(.player(app.record(choice, step.policy)))) }
    }

    /// Writes the record of the playback of the asset that is over, after that of the asset if that still waits.
    mutating func conclude(_ asset: PlayedAsset?, in viewing: inout Viewing, _ step: inout SessionStep) {
        defer { progress = AssetProgress() }
        guard viewing.isOpen else { return }
        announce(asset, in: viewing, &step)
        guard progress.isWorthRecording, writes(by: step.policy), let viewed = viewing.current?.addPlayback()
        else { return }
        let place = complete(viewed, asset, playhead: progress.range?.last, step.policy)
        let content = progress.content(withholding: choice.withholding(step.policy), at: step)
        step.write(.store(.player(PlayerRecord(.session, at: place, content: content))))
    }

    /// Returns the place of a record with all that is known about it.
    func complete(
        _ place: SessionPlace, _ asset: PlayedAsset?, playhead: Double?, _ policy: SessionPolicy
    ) -> SessionPlace {
        var place = place
        place.appSession = app.id
        place.assetPlay = plays.id
        place.asset = asset?.id
        place.assetType = asset?.typeText
        place.playhead = playhead
        place.optedOutStore = choice.store
        if policy.withheldNames.isEmpty { return place }
        if policy.withheldNames.contains("channelname") { place.channel = nil }
        if policy.withheldNames.contains("assetid") { place.asset = nil }
        if policy.withheldNames.contains("type") { place.assetType = nil }
        return place
    }

    /// Whether records other than tags are written.
    private func writes(by policy: SessionPolicy) -> Bool {
        policy.keepsRecords && !choice.discards(by: policy)
    }
}
