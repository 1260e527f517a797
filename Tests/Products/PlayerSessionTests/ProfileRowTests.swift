import Testing

@testable import PlayerSession

/// Every row of every profile, compared with a handmade copy of the guides' tables.
@Suite struct ProfileRowTests {
    /// One table per line: profile, heading and keys.
    ///
    /// `!` marks a required key, and a number is the maximum length.
    private static let tables = """
        us-app|app|appid! appname! appversion! sfcode! dma ccode latitude longitude
        us-app|channel|channelName dataSrc adModel
        us-app|Content|type! assetid! \(program)
        us-app|Online Campaign Ratings|type! ocrTag!
        us-app|Ads|type! assetid \(program)
        us-app|Radio|type! dataSrc assetid stationType provider
        us-app|Static pages|\(simplifiedPage)
        us-simplified|app|\(simplifiedApp)
        us-simplified|channel|
        us-simplified|Content of DCR and DTVR|\(joint)
        us-simplified|Content of DTVR|channelName! type! adModel!
        us-simplified|Ads|\(simplifiedAd)
        us-simplified|Static pages|\(simplifiedPage)
        dcr-simplified|app|\(simplifiedApp)
        dcr-simplified|channel|
        dcr-simplified|Content of DCR and DTVR|\(joint)
        dcr-simplified|Content of DCR|assetName!100 assetid! length! program!100 segB segC title!100 type! section! \
        airdate! isfullepisode! crossId1 crossId2 adloadtype!
        dcr-simplified|Ads|\(simplifiedAd)
        dcr-simplified|Static pages|\(simplifiedPage)
        ireland-ios|app|appid! appname! appversion! sfcode! nol_devDebug
        ireland-ios|channel|channelName!
        ireland-ios|Content|\(content(32, 100)) segB segC
        ireland-ios|Ads|type! assetid!
        ireland-ios|Static pages|type! section segA segB segC
        ireland-android|app|appid! appname! appversion! sfcode! nol_devDebug
        ireland-android|channel|channelName!
        ireland-android|Content|\(content(32, 100)) segB segC
        ireland-android|Ads|type! assetid!
        ireland-android|Static pages|type! section segA segB segC
        norway-audio|app|appid! nol_devDebug
        norway-audio|channel|channelName
        norway-audio|Content|\(content(64, 254, audio: true)) scheduledEndDate stationType stationId clientid subbrand \
        progen254
        norway-audio|Ads|type! assetid!
        norway-audio|Static pages|type! section! segA segB segC
        italy-app|app|appid! appname! appversion! sfcode nol_devDebug containerId
        italy-app|channel|channelName!
        italy-app|Audio content|\(content(32, 100, audio: true))
        italy-app|Video content|\(content(32, 100))
        italy-app|Ads|type! assetid!
        italy-app|Static pages|type! assetid! section!
        italy-browser|app|apid! instanceName! nol_sdkDebug
        italy-browser|channel|
        italy-browser|Audio content|\(content(32, 100, audio: true))
        italy-browser|Video content|\(content(32, 100))
        italy-browser|Ads|type! assetid!
        italy-amp|app|apid! prefix! apv! apn!
        italy-amp|channel|
        italy-amp|Pages|section! segA segB segC!
        poland|app|appid! appname sfcode! nol_devDebug enableFpid
        poland|channel|channelName
        poland|Content|\(content(64, 254)) progen segB segC crossId1 clientid subbrand
        poland|Ads|type! assetid!
        poland|Static pages|type! section segA segB segC
        unknown|app|appid!
        unknown|channel|dataSrc adModel
        unknown|All assets|type! assetid64 program254 title254 length airdate isfullepisode adloadtype adModel dataSrc \
        stationType
        """
    private static let program = """
        title100 length category subcategory censuscategory ocrTag tv dataSrc adModel program100 airdate isfullepisode adloadtype dprflag ocrflag prod pd tfid \
        sid iag_epi iag_seg iag_pgm
        """
    private static let simplifiedApp = "appid! appname appversion sfcode! nol_devDebug"
    private static let simplifiedAd = "assetid! title adldx adIdx type! length"
    private static let simplifiedPage = "type! assetid section! segA!25 segB segC"
    private static let joint = "type! length! adModel adloadtype airdate"

    private static func content(_ id: Int, _ name: Int, audio: Bool = false) -> String {
        "type! \(audio ? "isAudio! " : "")assetid!\(id) program!\(name) title!\(name) length! airdate! "
            + "isfullepisode! adloadtype!"
    }

    private static func row(_ rule: MetadataRule) -> String {
        let limit: Int? =
            switch rule.form {
            case .text(let length, _), .identifier(let length, _): length
            default: nil
            }
        return rule.key + (rule.isRequired ? "!" : "") + (limit.map { String($0) } ?? "")
    }

    @Test func tables_ofAllProfiles_haveTheRowsOfTheGuides() {
        let found = MarketProfile.all.flatMap { profile in
            let tables = profile.tables.map { ($0.name, $0.rules) }
            return ([("app", profile.appRules), ("channel", profile.channelRules)] + tables).map {
                name, rules in
                "\(profile.id)|\(name)|" + rules.map(Self.row).joined(separator: " ")
            }
        }
        let expected = Self.tables.split(separator: "\n").map(String.init)
        #expect(Set(found).symmetricDifference(expected) == [])
        #expect(found.count == expected.count)
    }

    /// Each rule of each table, with its profile and its table.
    private static let rows = MarketProfile.all.flatMap { profile in
        profile.tables.flatMap { table in table.rules.map { (profile, table, $0) } }
    }

    /// Returns metadata with every required key of a table, and with the keys that select it.
    private static func complete(_ table: AssetTable) -> [String: MetadataValue] {
        var metadata: [String: MetadataValue] = [:]
        for rule in table.rules where rule.isRequired { metadata[rule.key] = example(rule.form) }
        // The first word of the rule may be a type of another table.
        if metadata["type"] != nil { metadata["type"] = .text(table.types[0].rawValue) }
        switch table.condition {
        case .always: break
        case .hasKeys(let keys):
            for key in keys where !metadata.keys.contains(where: { $0.lowercased() == key }) {
                metadata[table.rules.first { $0.lookupKey == key }?.key ?? key] = "1"
            }
        case .hasValue: break
        }
        return metadata
    }

    private static func example(_ form: MetadataRule.Form) -> MetadataValue {
        switch form {
        case .text, .identifier: "A1"
        case .seconds: "3600"
        case .airdate(let forms): forms.contains(.basic) ? "20260110 20:00:00" : "01-10-2026"
        case .words(let words): .text(words[0])
        case .positiveInteger: "100"
        case .address: "http://example.com/m?ci=1"
        case .section(let words): .text("Home_Entity_\(words[0])")
        }
    }

    private static func violations(
        _ profile: MarketProfile, _ metadata: [String: MetadataValue]
    ) -> [MetadataViolation] {
        let members = metadata.sorted { $0.key < $1.key }.map { MetadataValue.Member($0.key, $0.value) }
        return MetadataValidator(profile).violations(ofAsset: Metadata(members: members))
    }

    @Test func metadata_withOnlyRequiredKeys_isValid() {
        for profile in MarketProfile.all {
            for table in profile.tables {
                #expect(Self.violations(profile, Self.complete(table)) == [], "\(profile.id) \(table.name)")
            }
        }
    }

    @Test func metadata_withoutAKey_isAViolationOnlyIfTheKeyIsRequired() {
        for (profile, table, rule) in Self.rows where !Self.selects(table, rule) {
            var metadata = Self.complete(table)
            metadata[rule.key] = nil
            for empty in [MetadataValue?.none, "", .null] {
                metadata[rule.key] = empty
                let found = Self.violations(profile, metadata)
                let isMissing = rule.isRequired && (rule.key != "type" || table.types.contains(.content))
                if rule.key == "type", !table.types.contains(.content) { continue }
                #expect(
                    found.map(\.kind) == (isMissing ? [.missing] : []),
                    "\(profile.id) \(table.name) \(rule.key)")
                #expect(found.allSatisfy { $0.key == rule.key && $0.source == rule.source.description })
            }
        }
    }

    /// Returns whether a key selects the table, so that another table applies to metadata without it.
    private static func selects(_ table: AssetTable, _ rule: MetadataRule) -> Bool {
        switch table.condition {
        case .always: false
        case .hasKeys(let keys): keys.contains(rule.lookupKey)
        case .hasValue(let key, _): key == rule.lookupKey
        }
    }

    @Test func values_ofEachRow_areValidUpToTheLimitAndInEachForm() {
        for (profile, table, rule) in Self.rows where rule.key != "type" {
            var metadata = Self.complete(table)
            for (value, kind) in Self.values(rule.form) {
                if Self.selects(table, rule), kind != nil { continue }
                metadata[rule.key] = value
                let found = Self.violations(profile, metadata).filter { $0.key == rule.key }
                #expect(
                    found.map(\.kind) == (kind.map { [$0] } ?? []),
                    "\(profile.id) \(table.name) \(rule.key) \(value)")
            }
        }
    }

    private typealias Example = (MetadataValue, MetadataViolation.Kind?)

    /// Returns values at and beyond each limit of a form, each with its violation; nil if it is valid.
    private static func values(_ form: MetadataRule.Form) -> [Example] {
        switch form {
        case .text(let length, let excluded):
            let long: [Example] =
                length.map { [(repeated("é", $0), nil), (repeated("é", $0 + 1), .length)] } ?? []
            let marks: [Example] = excluded.map { (.text("a\($0)b"), .alphabet) }
            return long + marks + [("Ä \u{1F600}", nil)]
        case .identifier(let length, let punctuation):
            let long: [Example] =
                length.map { [(repeated("a", $0), nil), (repeated("a", $0 + 1), .length)] } ?? []
            let marks: [Example] = "._-=\\/ %ä".map {
                (.text("a\($0)"), punctuation.contains($0) ? nil : .alphabet)
            }
            return long + marks
        case .seconds:
            return [("0", nil), ("86400", nil), ("-1", .value), ("an hour", .type), (["1"], .type)]
        case .airdate(let forms):
            return AirdateForm.allCases.map { (.text(dates[$0] ?? ""), forms.contains($0) ? nil : .airdate) }
        case .words(let words):
            return words.flatMap { [(.text($0), nil), (.text(" " + $0.uppercased()), nil)] } + [
                ("other than", .value)
            ]
        case .positiveInteger:
            return [
                ("1", nil), ("9223372036854775807", nil), (" 7 ", nil), (100, nil), ("0", .value),
                ("-1", .value),
                ("1.5", .value), ("view", .value),
            ]
        case .address:
            return [
                ("https://example.com/?a=%20b", nil), ("HTTP://example.com", nil), ("example.com", .value),
                ("http://", .value), ("http://example.com/a b", .value), ("http://example.com/ä", .value),
            ]
        case .section(let words):
            return words.map { (.text("Home_Entity_\($0)"), nil) } + [
                ("Home_Sub_Entity_iOS", nil), ("Home", .value), ("Entity_iOS", .value),
                ("_Entity_iOS", .value),
                ("Home_Entity_ios", .value),
            ]
        }
    }

    private static func repeated(_ text: String, _ count: Int) -> MetadataValue {
        .text(String(repeating: text, count: count))
    }

    private static let dates: [AirdateForm: String] = [
        .basic: "20260110 20:00:00", .basicJoined: "2026011020:00:00", .digits: "20260110200000",
        .extended: "2026-01-10T20:00:00", .extendedJoined: "2026-01-1020:00:00",
        .extendedSpaced: "2026-01-10 20:00:00", .zoned: "2026-01-10T20:00:00-05:30",
        .monthFirst: "01-10-2026",
        .monthFirstSlashed: "01/10/2026",
    ]

    @Test func assetType_unknownToTheMarket_isAViolation() {
        for profile in MarketProfile.all {
            for type in AssetType.allCases {
                let found = Self.violations(profile, ["type": .text(type.rawValue)])
                let isKnown = profile.assetTypes.contains(type)
                #expect(
                    found.contains { $0.key == "type" && $0.kind == .value } == !isKnown,
                    "\(profile.id) \(type)")
            }
            #expect(Self.violations(profile, ["type": "nonsense"]).map(\.key) == ["type"])
        }
    }

    @Test func nonStringValues_areViolationsIfTheGuideRequiresStrings() {
        for profile in MarketProfile.all {
            let found = Self.violations(profile, ["type": "content", "other": 1, "flag": true])
            #expect(found.filter { $0.kind == .type }.count == (profile.stringValues == nil ? 0 : 2))
        }
        #expect(
            MarketProfile.all.filter { $0.stringValues == nil }.map(\.id) == [
                "us-app", "italy-amp", "unknown",
            ])
    }

    @Test func appOrChannelInfo_withoutAKey_isAViolationOnlyIfTheKeyIsRequired() {
        for profile in MarketProfile.all {
            for rules in [profile.appRules, profile.channelRules] {
                let all = rules.map { MetadataValue.Member($0.key, Self.example($0.form)) }
                for (index, rule) in rules.enumerated() {
                    var members = all
                    members.remove(at: index)
                    let validator = MetadataValidator(profile)
                    let information = Metadata(members: members)
                    let found =
                        rules == profile.appRules
                        ? validator.violations(ofApp: information)
                        : validator.violations(ofChannel: information)
                    #expect(
                        found.map(\.kind) == (rule.isRequired ? [.missing] : []), "\(profile.id) \(rule.key)")
                }
            }
        }
    }
}
