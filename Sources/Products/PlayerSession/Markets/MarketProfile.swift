import TextForms

/// The rules that the guides of a market state for the data that a player passes.
public struct MarketProfile: Sendable, Hashable {
    /// A short name, such as `ireland-ios`.
    public let id: String
    /// The codes of the collection facilities (`sfcode`) that use the profile.
    public let facilities: [String]
    /// The market; nil for the rules that hold where the market is unknown.
    package let market: Market?
    /// The platforms that the guides are for.
    package let platforms: [Platform]
    /// The interface that the guides describe.
    package let interface: PlayerInterface
    /// The keys of the app's information.
    package let appRules: [MetadataRule]
    /// The keys of the channel's information, which `play` passes.
    package let channelRules: [MetadataRule]
    /// The keys of assets, by type; the first table that applies to an asset counts.
    package let tables: [AssetTable]
    /// The limits on the number of different values.
    package let limits: [ValueLimit]
    /// The place that asks for values that are JSON strings; nil if the guides allow others.
    package let stringValues: GuideSource?
    /// The rule for playheads.
    package let playhead: PlayheadRule
    /// The rule for the user's choice.
    package let optOut: OptOutRule

    /// All profiles, in the order of docs/markets.md; the last is for an unknown market.
    public static let all = [
        unitedStates, simplifiedTV, simplifiedContent, irelandIOS, irelandAndroid, norwayAudio, italyApp,
        italyBrowser, italyAMP, poland, unknown,
    ]

    /// Returns the profile of a collection facility, for players that make separate calls.
    ///
    /// - Parameter facility: the `sfcode`, without regard to case.
    public static func profile(of facility: String) -> MarketProfile {
        profile(of: facility, interface: .app)
    }

    /// Returns the profile of a collection facility; that of an unknown market if no guide names the facility.
    ///
    /// - Parameters:
    ///   - facility: the `sfcode`, without regard to case; nil if the app passes none.
    ///   - interface: the interface that the player uses.
    package static func profile(of facility: String?, interface: PlayerInterface) -> MarketProfile {
        // A browser's page passes no `sfcode`, and one guide is for browsers.
        guard let code = facility?.lowercased() else { return interface == .browser ? italyBrowser : unknown }
        let candidates = all.filter { $0.facilities.contains(code) }
        return candidates.first { $0.interface == interface }
            ?? candidates.first.map { first in
                all.first { $0.market == first.market && $0.interface == interface } ?? first
            } ?? unknown
    }

    /// Returns the interfaces that the guides describe for a collection facility.
    package static func interfaces(of facility: String?) -> Set<PlayerInterface> {
        guard let code = facility?.lowercased() else { return [] }
        return Set(all.filter { $0.facilities.contains(code) }.map(\.interface))
    }

    /// Returns the profile of a market, on a platform if there is one for it; nil if no guide covers the market.
    package static func profile(
        of market: Market, platform: Platform? = nil, interface: PlayerInterface? = nil
    ) -> MarketProfile? {
        let ofMarket = all.filter { $0.market == market }
        let candidates = ofMarket.filter { profile in platform.map(profile.platforms.contains) ?? true }
        let preferred = candidates.isEmpty ? ofMarket : candidates
        return preferred.first { $0.interface == interface } ?? preferred.first
    }

    /// Returns the table for an asset: for its type, or for content if it has none; nil if the guides have no such
    /// type.
    package func table(for metadata: Metadata) -> AssetTable? {
        var type = AssetType.content
        if let text = metadata.text("type") {
            guard let known = AssetType(text: text) else { return nil }
            type = known
        }
        return tables.first { $0.types.contains(type) && $0.condition.holds(for: metadata) }
    }

    /// The types of asset that the guides have.
    package var assetTypes: [AssetType] {
        AssetType.allCases.filter { type in tables.contains { $0.types.contains(type) } }
    }
}

/// A market, by the code that `--market` takes.
public enum Market: String, Sendable, Hashable, CaseIterable {
    /// Digital TV ratings in the United States.
    case us
    /// Digital Content Ratings in the United States.
    case dcr
    /// Ireland.
    case ire
    /// Norway.
    case no
    /// Italy.
    case it
    /// Poland.
    case pl
}

/// A platform, by the name that `--platform` takes.
public enum Platform: String, Sendable, Hashable, CaseIterable {
    /// Apple's platforms.
    case ios
    /// Android.
    case android
    /// A browser.
    case browser
    /// A page of Google AMP.
    case amp
}

/// The interface through which a player passes its data.
package enum PlayerInterface: String, Sendable, Hashable, CaseIterable {
    /// The separate calls of an app.
    case app
    /// `ggPM`, which has no `play`.
    case browser
    /// `trackEvent`, which is the only call of its interface.
    case tracked
    /// The `vars` of an AMP page.
    case page
}

/// The keys of one or more types of asset.
package struct AssetTable: Sendable, Hashable {
    /// When a table applies to assets of its types.
    package enum Condition: Sendable, Hashable {
        /// To all of them.
        case always
        /// If all these keys, in lower case, have a value.
        case hasKeys([String])
        /// If a key, in lower case, has a value, in lower case.
        case hasValue(String, String)

        /// Returns whether the condition holds for an asset.
        func holds(for metadata: Metadata) -> Bool {
            switch self {
            case .always: true
            case .hasKeys(let keys): keys.allSatisfy { metadata.text($0) != nil }
            case .hasValue(let key, let value): metadata.text(key)?.lowercased() == value
            }
        }
    }

    /// The heading in docs/markets.md.
    package let name: String
    /// The types of asset.
    package let types: [AssetType]
    /// When the table applies to them.
    package let condition: Condition
    /// The rules, in the order of the guide.
    package let rules: [MetadataRule]

    init(_ name: String, _ types: [AssetType], if condition: Condition = .always, _ rules: [MetadataRule]) {
        self.name = name
        self.types = types
        self.condition = condition
        self.rules = rules
    }
}

/// A limit on the number of different values that an app may use for keys.
package struct ValueLimit: Sendable, Hashable {
    /// The keys, as the guide spells them.
    package let keys: [String]
    /// The maximum number of different values of all keys together.
    package let count: Int
    /// The place in the guides that states the limit.
    package let source: GuideSource

    /// The limit in words.
    package var expectation: String { "at most \(count) different values of \(keys.joined(separator: ", "))" }
}

/// The rule of a market for playheads.
package struct PlayheadRule: Sendable, Hashable {
    /// The seconds between two playheads; nil if the guide names none.
    package let interval: Int?
    /// Whether playheads must be whole numbers.
    package let isWhole: Bool
    /// Whether playheads of live streams are Unix time.
    package let isUnixTimeLive: Bool
    /// The place in the guides that states the rule.
    package let source: GuideSource

    /// The interval in words.
    package var expectation: String {
        switch interval {
        case 1?: "every second"
        case let interval?: "every \(interval) seconds"
        case nil: "with each event"
        }
    }
}

/// The rule of a market for the user's choice.
package struct OptOutRule: Sendable, Hashable {
    /// A way in which a user opts out.
    package enum Flavor: String, Sendable, Hashable, CaseIterable {
        /// The page at `optOutURL`, whose answer goes to `userOptOut`.
        case page
        /// The setting of the operating system.
        case system
        /// `userOptOut("nielsenappsdk://1")` directly after the start, for builds without ids.
        case atStart
        /// A cookie that the privacy page sets.
        case cookie
    }

    /// The ways that the guide describes.
    package let flavors: [Flavor]
    /// Whether measurement continues after an opt-out, marked as such; nil if the guide does not say.
    package let continuesMarked: Bool?
    /// The place in the guides that states the rule.
    package let source: GuideSource
}

/// The asset types of the guides.
public enum AssetType: String, Sendable, Hashable, CaseIterable {
    /// The main content.
    case content
    /// An advertisement before the content.
    case preroll
    /// An advertisement within the content.
    case midroll
    /// An advertisement after the content.
    case postroll
    /// An advertisement in any position.
    case ad
    /// A radio program.
    case radio
    /// A page without video.
    case `static`

    /// Whether the type is an advertisement.
    public var isAd: Bool {
        switch self {
        case .preroll, .midroll, .postroll, .ad: true
        case .content, .radio, .static: false
        }
    }

    /// Creates the type of a text, without regard to case and surrounding blanks; nil if there is no such type.
    package init?(text: String) { self.init(rawValue: String(text[...].trimmed).lowercased()) }

    /// The advertisements of known position.
    package static let placedAds: [AssetType] = [.preroll, .midroll, .postroll]
}
