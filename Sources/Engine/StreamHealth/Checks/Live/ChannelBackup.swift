import ID3v2
package import NielsenID3

extension CheckID {
    /// `channel.backup`.
    package static let channelBackup = CheckID("channel.backup")
}

/// `channel.backup`: a channel is read from its primary.
struct ChannelBackup: HealthCheck {
    static let declaration = CheckDeclaration(
        .channelBackup, of: .channel, worst: .warn,
        notRun: "The channel has no backup, or its primary was not loaded.",
        expectation: "The channel is read from its primary",
        urgency: "today: no tag is missing, but the channel has no reserve",
        title: "The channel is read from its backup",
        meaning: """
            The primary fails, and the backup has the channel. No tag is missing because of it, but the channel has no
            reserve. The alert lists the failures of the primary as its consequences; they have no alert of their own
            while the backup works.
            """,
        appearance: """
            The finding has the time and the reason. The page, `backup` in the API, and `dtvr_channel_on_backup` show it
            until a segment of the primary is read again.
            """,
        cause: """
            The origin, the packager or the network of the primary: the reason names the check that shows which.
            """,
        action: """
            Repair the primary. To get the alerts about its failures instead, add `channel.backup` to `accept`.
            """,
        alerting: .init(.first, isContinuous: true))

    /// The failure of one rendition waits so many seconds for the failure of the others, or for the backup to be
    /// opened.
    private static let backupWait = 10.0

    /// The time since which the backup replaces the primary, with the reason as a phrase; nil while the primary works.
    private(set) var use: (since: SteadyTime, reason: String)?
    /// The start of the use that lasted before a restart; nil once the primary has worked.
    private var earlierUse: SteadyTime?
    /// Whether a playlist of the primary was loaded, and the primary works.
    private var isPrimaryUsable = false
    /// The time since which the backup may soon replace the primary; nil if nothing shows that.
    private var wait: SteadyTime?

    /// Creates the check of a channel; `earlierUse` is the start of the use that lasted before a restart.
    init(earlierUse: SteadyTime? = nil) { self.earlierUse = earlierUse }

    /// Returns whether a source cannot be used: it could not be opened, or no segment has been read since each of its
    /// playlists failed, was not answered for so long that it would be stale, was stale, had ended, or listed segments
    /// that fail.
    static func isFailing(_ source: [RenditionDelivery], at time: SteadyTime) -> Bool {
        !source.isEmpty && source.allSatisfy { $0.isOut(at: time) }
    }

    /// Decides whether the backup replaces the primary, whose renditions are known while segments delay their loads.
    mutating func observe(_ delivery: [RenditionID: RenditionDelivery], at time: SteadyTime) {
        let primary = delivery.values(of: .primary)
        let isOut = Self.isFailing(primary, at: time)
        isPrimaryUsable = !isOut && primary.contains { $0.targetDuration != nil && !$0.isOut }
        if isPrimaryUsable { earlierUse = nil }
        let backup = delivery.values(of: .backup)
        // While the primary works, no segment of the backup shows that it has recovered.
        let isUsable = backup.contains { $0.isUsable(at: time) }
        let mayBeUsable = backup.isEmpty || isUsable
        wait = mayBeUsable && primary.contains { $0.isOut(at: time) } ? wait ?? time : nil
        use =
            isOut && isUsable ? (use?.since ?? earlierUse ?? time, reason(of: primary, at: time)) : nil
    }

    /// Returns the reason why each rendition of the primary fails, as a phrase.
    private func reason(of primary: [RenditionDelivery], at time: SteadyTime) -> String {
        if let start = primary.compactMap({ $0.hangs(at: time) ? $0.loadStart : nil }).min() {
            return PlaylistHTTP.text(PlaylistHTTP.text(unansweredSince: start, until: time))
        }
        if let failure = primary.lazy.filter({ $0.failureCount > 0 }).compactMap(\.failure).first {
            return PlaylistHTTP.text(failure.text)
        }
        if let start = primary.compactMap(\.staleSince).min() {
            return PlaylistStale.text(since: start, until: time)
        }
        if primary.contains(where: \.hasEnded) { return "its playlist has ended" }
        if primary.contains(where: { $0.unreadableCount > 0 }) { return "its segments cannot be read" }
        return use?.reason ?? "no segment has been read since it failed"
    }

    /// Ends the use; it begins again if the primary still fails.
    mutating func restart() { use = nil }

    /// Reports the use of the backup, and returns its start or its end if that is new.
    func report(to book: inout EpisodeBook) -> ChannelEvent? {
        let now = book.moment.steady
        // The failure of a rendition may soon be explained by the use of the backup.
        book.expect(Self.id, use == nil && wait.map { now - $0 < Self.backupWait } == true)
        let wasUsed = book.isLasting(Self.id)
        guard let use else {
            book.judge(
                Self.id, isPrimaryUsable ? .pass : .notRun, at: Finding.Place(), rendition: .first)
            return wasUsed ? .backup(nil) : nil
        }
        let start = book.moment.wall - (now - use.since)
        let text = "on the backup since \(start.clockText) because \(use.reason)"
        book.judge(
            Self.id, .violation(.warn, text), at: Finding.Place(), rendition: .first, age: now - use.since)
        return wasUsed ? nil : .backup(text)
    }
}
