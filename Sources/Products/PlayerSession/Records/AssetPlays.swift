import NielsenID3
import TagRecord
import TextForms

/// The plays of assets in a viewing session, each with an id, and the record of the current one.
///
/// Content that continues after an advertisement is the same play.
struct AssetPlays: Sendable {
    /// A random id, derived from nothing else; nil if the player has described neither a channel nor an asset.
    private(set) var id: String?
    /// Whether the channel or the asset has changed since its last record.
    private(set) var isPending = false
    /// The channel information of `play`.
    private var channel = Metadata()
    /// The content of the viewing session, which an advertisement may interrupt.
    private var content: (asset: PlayedAsset, id: String)?
    /// The number of the viewing session, and of the records in it.
    private(set) var viewing = 0
    private var recordCount: UInt64 = 0
    private let makeID: @Sendable () -> String

    init(makeID: @escaping @Sendable () -> String) { self.makeID = makeID }

    /// Follows the viewing session with a number: in another one, the same asset is another play.
    @inline(__always)
    mutating func follow(viewing number: Int, hasAsset: Bool) {
        if number != viewing { begin(number, hasAsset: hasAsset) }
    }

    private mutating func begin(_ number: Int, hasAsset: Bool) {
        viewing = number
        recordCount = 0
        content = nil
        isPending = hasAsset || !channel.members.isEmpty
        id = isPending ? makeID() : nil
    }

    /// Adopts the channel information of `play`.
    ///
    /// - Parameter isOther: whether it is about another viewing session, and not more about this one.
    mutating func describe(_ information: Metadata, isOther: Bool) {
        let merged = isOther ? information : channel.updated(with: information)
        if merged.says(the: channel) { return }
        channel = merged
        isPending = true
        if id == nil { id = makeID() }
    }

    /// Forgets the channel information, because another channel plays.
    mutating func forgetChannel() { channel = Metadata() }

    /// Adopts an asset.
    ///
    /// - Parameter isOther: whether it replaces another one, or starts again.
    mutating func load(_ asset: PlayedAsset, isOther: Bool) {
        isPending = true
        if isOther || id == nil {
            let known = asset.isAd ? nil : content.flatMap { $0.asset.isSame(as: asset) ? $0.id : nil }
            id = known ?? makeID()
        }
        if !asset.isAd, let id { content = (asset, id) }
    }

    /// Records that the record of the current asset is written.
    mutating func settle() { isPending = false }

    /// Adopts content that has not started, and returns the id of its play; nil if it is known already.
    mutating func expect(_ asset: PlayedAsset) -> String? {
        if let content, content.asset.metadata.says(the: asset.metadata) { return nil }
        let id = content.flatMap { $0.asset.isSame(as: asset) ? $0.id : nil } ?? makeID()
        content = (asset, id)
        return id
    }

    /// Returns the record of an asset with the channel.
    ///
    /// - Parameter place: the viewing session and the asset.
    mutating func record(
        of asset: PlayedAsset?, at place: SessionPlace, withholding: Withholding
    ) -> PlayerRecord {
        var place = place
        place.order = recordCount
        recordCount += 1
        var content = RecordContent()
        if let index = asset?.index, !withholding.withholds("adidx"), !withholding.withholds("adldx") {
            content.add { $0.write("ad_index", index) }
        }
        content.add("channel_info", channel, withholding: withholding)
        content.add("metadata", asset?.metadata ?? Metadata(), withholding: withholding)
        return PlayerRecord(.asset, at: place, content: content.finish())
    }
}
