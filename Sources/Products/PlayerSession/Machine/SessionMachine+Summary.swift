import MarketProfiles
import NielsenID3
import TagRecord

/// Viewing sessions without tags: what was played of each asset is kept once the asset is over.
extension SessionMachine {
    /// Learns where the data of the viewing session come from, where the app says it.
    mutating func followSource(in metadata: Metadata?) {
        guard let source = metadata?.text("datasrc") else { return }
        viewing?.goesByPlayheads = source.lowercased() == "cms"
    }

    /// Keeps what was played of the asset that is over, in a viewing session that goes by playheads and has kept no tag.
    mutating func summarize(_ step: inout SessionStep) {
        defer { progress = AssetProgress() }
        guard var current = viewing, current.goesByPlayheads, current.tagCount == 0,
            let range = progress.range,
            !isOptedOut || policy.sendsOptedOut
        else { return }
        let place = SessionPlace(
            id: current.id, order: current.summaryCount, channel: current.channel, asset: asset?.id,
            assetType: asset?.typeText, playhead: range.last, optedOutStore: optedOutStore)
        current.summaryCount += 1
        viewing = current
        step.actions.append(
            .summarize(
                AssetSummary(session: place, firstPlayhead: range.first, watched: progress.watched)))
    }
}
