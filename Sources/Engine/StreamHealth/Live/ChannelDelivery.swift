import HLSPlaylist
import ID3v2
import NielsenID3
import TextForms

/// The delivery of a live channel's playlists and segments, tracked by rendition.
///
/// It decides whether a source fails, so that the backup must be read.
struct ChannelDelivery: Sendable {
    /// The number of consecutive failed loads after which a rendition counts as unreachable.
    private static let unreachableCount = 2
    /// The number of consecutive segments that cannot be read after which a rendition counts as failing.
    private static let unreadableCount = 2
    /// The failure of one rendition waits so many seconds for the failure of the others, or for the backup to be
    /// opened.
    private static let backupWait = 10.0
    /// The time after its last load during which a rendition stays followed: the longer of 60 s and 4 target durations.
    private static let followedTime = 60.0
    private static let followedTargetDurations = 4.0
    /// The maximum number of renditions tracked.
    private static let capacity = 64

    private let staleLimit: StaleLimit
    /// Whether the channel has a backup.
    private let hasBackup: Bool
    private var renditions: [RenditionID: Rendition] = [:]

    private struct Rendition: Sendable {
        /// The time of the last load, failed or not.
        var time: SteadyTime
        var failureCount = 0
        var failure: FetchFailure?
        /// The start of the load that is in progress; nil if none is.
        var loadStart: SteadyTime?
        /// Whether that load has taken so long that it counts as a failure.
        var isUnanswered = false
        /// The time of the last change of a playlist that is stale; nil for one that is not.
        var staleSince: SteadyTime?
        var isStale: Bool { staleSince != nil }
        /// Whether the playlist is complete, and its last segment was read.
        var hasEnded = false
        var targetDuration: Double?
        /// The distance from the playlist's end to the current time when the playlist last changed, in seconds.
        ///
        /// It is measured by the steady clock: setting the wall clock between two loads is not a drift.
        var lag: Double?

        /// Whether its source could not be opened.
        var isClosed = false
        /// The number of consecutive segments that could not be read.
        var unreadableCount = 0
        /// Whether it has failed, and no segment has been read since.
        var isOut = false

        /// Whether it counts as unreachable.
        var isUnreachable: Bool { isUnanswered || failureCount >= ChannelDelivery.unreachableCount }

        /// Whether no new segments can be read.
        var isFailing: Bool {
            isUnreachable || isClosed || isStale || hasEnded
                || unreadableCount >= ChannelDelivery.unreadableCount
        }

        /// Returns whether the load in progress takes so long that the playlist would be stale.
        func hangs(at time: SteadyTime, limit: StaleLimit) -> Bool {
            guard let loadStart, let targetDuration else { return false }
            return time - loadStart > limit.duration(of: .seconds(targetDuration)) / .seconds(1)
        }
    }

    /// The renditions that were followed when the time last advanced.
    private var followed: [RenditionID: Rendition] = [:]

    /// The time since which the backup replaces the primary, with the reason; nil while the primary works.
    private(set) var backupUse: BackupUse?
    /// The start of the use that lasted before a restart; nil once the primary has worked.
    private var earlierBackupUse: SteadyTime?
    /// Whether a playlist of the primary was loaded, and the primary works.
    private var isPrimaryUsable = false
    /// The time since which the backup may soon replace the primary; nil if nothing shows that.
    private var wait: SteadyTime?

    /// The use of a backup because the primary fails.
    struct BackupUse: Sendable, Hashable {
        let since: SteadyTime
        /// The reason as a phrase.
        var reason: String
    }

    /// Creates the delivery of a channel that has loaded nothing.
    init(policy: HealthPolicy, hasBackup: Bool) {
        staleLimit = StaleLimit(policy)
        self.hasBackup = hasBackup
    }

    /// Continues the state before a restart: unreachable until a load succeeds, or on the backup since a time.
    mutating func resume(isUnreachable: Bool, backupSince: SteadyTime?, at time: SteadyTime) {
        earlierBackupUse = backupSince
        if isUnreachable {
            renditions[.first] = Rendition(time: time, failureCount: Self.unreachableCount)
        }
        advance(to: time)
    }

    /// Forgets what was reported, so that it is reported again; a source that fails still does.
    mutating func restart() {
        renditions = renditions.mapValues { old in
            var new = Rendition(time: old.time, loadStart: old.loadStart)
            new.targetDuration = old.targetDuration
            new.isOut = old.isOut
            return new
        }
        followed = [:]
        backupUse = nil
    }

    // MARK: Sources

    /// Returns whether a source cannot be used: it could not be opened, or no segment has been read since each of its
    /// playlists failed, was not answered for so long that it would be stale, was stale, had ended, or listed segments
    /// that fail.
    func isFailing(_ source: RenditionID.Source, at time: SteadyTime) -> Bool {
        let states = known(of: source)
        return !states.isEmpty && states.allSatisfy { $0.isOut || $0.hangs(at: time, limit: staleLimit) }
    }

    /// Returns the renditions of a source, also while the reading of segments delays their next loads.
    private func known(of source: RenditionID.Source) -> [Rendition] {
        renditions.filter { $0.key.source == source }.map(\.value)
    }

    /// Records that a source could not be opened.
    mutating func observeFailureToOpen(_ source: RenditionID.Source, at time: SteadyTime) {
        let first = RenditionID(0, of: source)
        makeRoom(for: first)
        renditions[first, default: Rendition(time: time)].isClosed = true
        for id in renditions.keys where id.source == source { renditions[id]?.isClosed = true }
        advance(to: time)
    }

    /// Records the first attempt to read a segment.
    mutating func observeSegment(of rendition: RenditionID, isFailure: Bool, at time: SteadyTime) {
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        state.unreadableCount = isFailure ? state.unreadableCount + 1 : 0
        if !isFailure { state.isOut = false }
        renditions[rendition] = state
        advance(to: time)
    }

    /// Whether the failure of a rendition may soon be explained by the use of the backup.
    func mayTurnToBackup(at time: SteadyTime) -> Bool {
        backupUse == nil && wait.map { time - $0 < Self.backupWait } == true
    }

    private mutating func updateBackupUse(at time: SteadyTime) {
        guard hasBackup else { return }
        let primary = known(of: .primary)
        let isOut = isFailing(.primary, at: time)
        isPrimaryUsable = !isOut && primary.contains { $0.targetDuration != nil && !$0.isOut }
        if isPrimaryUsable { earlierBackupUse = nil }
        let backup = known(of: .backup)
        // While the primary works, no segment of the backup shows that it has recovered.
        let isUsable = backup.contains { !$0.isFailing && !$0.hangs(at: time, limit: staleLimit) }
        let mayBeUsable = backup.isEmpty || isUsable
        let anyIsOut = primary.contains { $0.isOut || $0.hangs(at: time, limit: staleLimit) }
        wait = anyIsOut && mayBeUsable ? wait ?? time : nil
        guard isOut, isUsable else {
            backupUse = nil
            return
        }
        backupUse = BackupUse(
            since: backupUse?.since ?? earlierBackupUse ?? time, reason: reason(of: primary, at: time))
    }

    /// Returns the reason why each rendition of a source fails, as a phrase.
    private func reason(of states: [Rendition], at time: SteadyTime) -> String {
        if let start = states.compactMap({ $0.hangs(at: time, limit: staleLimit) ? $0.loadStart : nil }).min()
        {
            return PlaylistHTTP.text(Self.text(unansweredSince: start, at: time))
        }
        if let failure = states.lazy.filter({ $0.failureCount > 0 }).compactMap(\.failure).first {
            return PlaylistHTTP.text(failure.text)
        }
        if let start = states.compactMap(\.staleSince).min() {
            return PlaylistStale.text(since: start, until: time)
        }
        if states.contains(where: \.hasEnded) { return "its playlist has ended" }
        if states.contains(where: { $0.unreadableCount > 0 }) { return "its segments cannot be read" }
        return backupUse?.reason ?? "no segment has been read since it failed"
    }

    // MARK: Playlists

    /// Whether every followed rendition fails to load or has ended.
    private var isDown: Bool {
        !followed.isEmpty && followed.values.allSatisfy { $0.isUnreachable || $0.hasEnded }
    }

    /// Whether every followed rendition fails to load, or has ended in the backup only.
    var isUnreachable: Bool { isDown && !isOver }

    /// Whether every followed rendition has ended, or has ended in the primary and fails to load in the backup.
    var isOver: Bool {
        let primary = followed.filter { $0.key.source == .primary }
        return isDown && hasEnded && (primary.isEmpty || primary.contains { $0.value.hasEnded })
    }

    /// Whether any followed rendition has ended.
    private var hasEnded: Bool { followed.contains { $0.value.hasEnded } }

    /// Whether no followed rendition lists new segments: each fails to load, is stale or has ended.
    var isBlocked: Bool {
        !followed.isEmpty && followed.values.allSatisfy { $0.isUnreachable || $0.isStale || $0.hasEnded }
    }

    /// Returns the reason why the channel is unreachable, as half a sentence.
    func failureText(at time: SteadyTime) -> String {
        if let start = unansweredSince { return Self.text(unansweredSince: start, at: time) }
        return renditions.values.lazy.compactMap(\.failure).first?.text ?? "failed"
    }

    /// Returns the text of a load that has taken too long, as half a sentence.
    static func text(unansweredSince start: SteadyTime, at time: SteadyTime) -> String {
        "has not been answered for \(DurationText.age(time - start))"
    }

    /// The start of the oldest load that has taken too long; nil if there is none.
    var unansweredSince: SteadyTime? {
        renditions.values.lazy.filter(\.isUnanswered).compactMap(\.loadStart).min()
    }

    /// Records the start of a load.
    mutating func begin(rendition: RenditionID, at time: SteadyTime) {
        makeRoom(for: rendition)
        renditions[rendition, default: Rendition(time: time)].loadStart = time
    }

    /// Records that a load ended, without an outcome for the playlist.
    mutating func end(rendition: RenditionID, at time: SteadyTime) {
        if renditions[rendition]?.isUnanswered == true {
            // It stays a failure until the playlist is loaded.
            renditions[rendition]?.failureCount = Self.unreachableCount
        }
        renditions[rendition]?.loadStart = nil
        renditions[rendition]?.isUnanswered = false
        advance(to: time)
    }

    /// Counts renditions whose last load failed, or whose load takes long, as unreachable, if then no followed
    /// rendition can be read; called when tags have been missing for too long.
    ///
    /// - Parameter age: The seconds that a load may take.
    /// - Returns: One of these renditions, the time since which it fails, and the reason as half a sentence; nil if
    ///   loads do not explain that nothing is read.
    mutating func explainSilence(
        after age: Double, at time: SteadyTime
    ) -> (rendition: RenditionID, start: SteadyTime, reason: String)? {
        let before = self
        for (id, state) in renditions {
            if state.failureCount > 0 {
                renditions[id]?.failureCount = max(state.failureCount, Self.unreachableCount)
            }
            if let start = state.loadStart, time - start >= age { renditions[id]?.isUnanswered = true }
        }
        advance(to: time)
        let failing = renditions.filter(\.value.isUnreachable)
        if isBlocked, let (id, state) = failing.min(by: { $0.key < $1.key }) {
            return (id, state.loadStart ?? state.time, failureText(at: time))
        }
        self = before
        return nil
    }

    /// Records a load, and returns the result of `playlist.http` with the seconds that the load took.
    ///
    /// A violation that continues unchanged is returned as `notRun`.
    mutating func observe(
        _ outcome: PlaylistLoadOutcome, rendition: RenditionID, at time: SteadyTime
    ) -> (http: CheckResult, age: Double) {
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        let age = state.loadStart.map { max(0, time - $0) } ?? 0
        state.time = time
        if state.isUnanswered { state.failureCount = max(state.failureCount, Self.unreachableCount - 1) }
        state.loadStart = nil
        state.isUnanswered = false
        var http = CheckResult.pass
        switch outcome {
        case .changed(let edge):
            state.isClosed = false
            state.failureCount = 0
            state.failure = nil
            state.staleSince = nil
            state.hasEnded = false
            state.targetDuration = edge.targetDuration ?? state.targetDuration
            state.lag = edge.endDate.map { time.seconds - $0.unixSeconds }
        case .unchanged:
            state.isClosed = false
            state.failureCount = 0
            state.failure = nil
        case .failed where state.hasEnded:
            // The end has its own finding, and a server may remove the playlist of a stream that has ended.
            http = .notRun
        case .failed(let failure):
            state.failureCount += 1
            http = PlaylistHTTP.check(failure)
            // An outage is reported for its first failures, and later only when the cause changes.
            if state.failureCount > Self.unreachableCount, state.failure == failure { http = .notRun }
            state.failure = failure
        }
        renditions[rendition] = state
        advance(to: time)
        return (http, age)
    }

    /// Marks a rendition as stale, because its playlist last changed at `start`.
    mutating func markStale(rendition: RenditionID, since start: SteadyTime, at time: SteadyTime) {
        if renditions[rendition]?.isStale == false { renditions[rendition]?.staleSince = start }
        advance(to: time)
    }

    /// Forgets the rendition that was loaded least recently if another one has no room.
    private mutating func makeRoom(for rendition: RenditionID) {
        guard renditions[rendition] == nil, renditions.count >= Self.capacity,
            let oldest = renditions.min(by: { $0.value.time < $1.value.time })?.key
        else { return }
        renditions[oldest] = nil
    }

    /// Marks a rendition as ended, and returns whether it was not marked before.
    mutating func markEnded(rendition: RenditionID, at time: SteadyTime) -> Bool {
        makeRoom(for: rendition)
        var state = renditions[rendition] ?? Rendition(time: time)
        let isNew = !state.hasEnded
        state.hasEnded = true
        state.staleSince = nil
        state.failureCount = 0
        state.failure = nil
        // A playlist that has ended falls behind those that continue, which is not a drift.
        state.lag = nil
        renditions[rendition] = state
        advance(to: time)
        return isNew
    }

    /// Forgets the renditions of a source that are no longer followed.
    mutating func follow(_ followed: [RenditionID], of source: RenditionID.Source) {
        renditions = renditions.filter { $0.key.source != source || followed.contains($0.key) }
    }

    /// Determines which renditions fail, and which are followed; those that have ended are loaded less often.
    mutating func advance(to time: SteadyTime) {
        for (id, state) in renditions where !state.isOut {
            if state.isFailing || state.hangs(at: time, limit: staleLimit) { renditions[id]?.isOut = true }
        }
        followed = renditions.filter { _, state in
            let limit = max(
                Self.followedTime, (state.targetDuration ?? 0) * Self.followedTargetDurations)
            return state.hasEnded || state.loadStart != nil || time - state.time <= limit
        }
        updateBackupUse(at: time)
    }

    private func drift(policy: HealthPolicy) -> CheckResult {
        let lags = followed.values.compactMap(\.lag)
        guard lags.count > 1, let slowest = lags.max(), let fastest = lags.min(),
            let targetDuration = followed.values.compactMap(\.targetDuration).max()
        else { return .notRun }
        return PlaylistVariantDrift.check(
            behind: slowest, and: fastest, targetDuration: targetDuration, by: policy)
    }
}

// MARK: - Reports

extension ChannelDelivery {
    /// Reports the result of `playlist.http` for a load, and what else the load shows.
    func report(
        _ http: CheckResult, of outcome: PlaylistLoadOutcome, rendition: RenditionID, age: Double,
        at place: Finding.Place, policy: HealthPolicy, to book: inout EpisodeBook
    ) {
        book.report(.playlistHTTP, http, at: place, rendition: rendition, age: age)
        book.judge(.playlistVariantDrift, drift(policy: policy), at: place, rendition: rendition)
        if case .failed = outcome {
            // A repeated failure is not reported, but it still counts.
            if http == .notRun { book.repeatViolation(of: .playlistHTTP, rendition: rendition) }
        } else {
            for check in CheckRegistry.checks(on: .playlistChange) where !(check is PlaylistDateJump) {
                book.markRun(check.id)
            }
        }
        if case .changed = outcome { book.markRun(.channelEnded) }
    }

    /// Extends the violations that last without an observation, with their texts as of now.
    func extendViolations(in book: inout EpisodeBook) {
        let now = book.moment.steady
        if let since = followed.values.compactMap(\.staleSince).min() {
            book.extendViolation(of: .playlistStale, PlaylistStale.text(since: since, until: now))
        }
        if hasEnded { book.extendViolation(of: .channelEnded) }
        if followed.values.contains(where: { $0.failureCount > 0 || $0.isUnanswered }) {
            let text = unansweredSince.map { PlaylistHTTP.text(Self.text(unansweredSince: $0, at: now)) }
            book.extendViolation(of: .playlistHTTP, text)
        }
    }

    /// Reports the use of the backup, and returns its start or its end if that is new.
    func reportBackupUse(to book: inout EpisodeBook) -> ChannelEvent? {
        let now = book.moment.steady
        book.expect(.channelBackup, mayTurnToBackup(at: now))
        let wasUsed = book.isLasting(.channelBackup)
        guard let use = backupUse else {
            book.judge(
                .channelBackup, isPrimaryUsable ? .pass : .notRun, at: Finding.Place(), rendition: .first)
            return wasUsed ? .backup(nil) : nil
        }
        let text = ChannelBackup.text(since: book.moment.wall - (now - use.since), reason: use.reason)
        book.judge(
            .channelBackup, .violation(.warn, text), at: Finding.Place(), rendition: .first,
            age: now - use.since)
        return wasUsed ? nil : .backup(text)
    }
}
