/// Validates metadata against the rules of a market.
public struct MetadataValidator: Sendable {
    private let profile: MarketProfile

    /// Creates a validator for a market.
    public init(_ profile: MarketProfile) { self.profile = profile }

    /// Returns the violations in the information of an app.
    public func violations(ofApp information: Metadata) -> [MetadataViolation] {
        KeySpelling.violations(of: information) + stringViolations(of: information)
            + Self.violations(of: profile.appRules, by: information)
    }

    /// Returns the violations in the information of a channel, which `play` passes.
    public func violations(ofChannel information: Metadata) -> [MetadataViolation] {
        KeySpelling.violations(of: information) + stringViolations(of: information)
            + Self.violations(of: profile.channelRules, by: information)
    }

    /// Returns the violations in the metadata of an asset.
    public func violations(ofAsset metadata: Metadata) -> [MetadataViolation] {
        let general = KeySpelling.violations(of: metadata) + stringViolations(of: metadata)
        guard let table = profile.table(for: metadata) else { return general + [unknownType(of: metadata)] }
        let violations = Self.violations(of: table.rules, by: metadata)
        // Without a type, it is not known which other keys are required.
        let isUntyped = violations.contains { $0.kind == .missing && $0.key == "type" }
        return general + violations.filter { !isUntyped || $0.kind != .missing || $0.key == "type" }
    }

    /// Returns the violations in metadata that corrects or completes other metadata: no key is required.
    public func violations(ofPart metadata: Metadata) -> [MetadataViolation] {
        violations(ofAsset: metadata).filter { $0.kind != .missing }
    }

    /// Returns the violations in the description of the screen that shows the picture.
    package func violations(ofScreen metadata: Metadata) -> [MetadataViolation] {
        KeySpelling.violations(of: metadata) + Self.violations(of: Self.screenRules, by: metadata)
    }

    private static func violations(of rules: [MetadataRule], by metadata: Metadata) -> [MetadataViolation] {
        rules.compactMap { rule in
            guard let value = metadata[rule.lookupKey], value != .text("") else {
                return rule.isRequired ? rule.absence : nil
            }
            return rule.violation(by: value)
        }
    }

    private func unknownType(of metadata: Metadata) -> MetadataViolation {
        let types = MetadataRule.Form.words(profile.assetTypes.map(\.rawValue))
        let source = profile.tables.first?.rules.first { $0.key == "type" }?.source
        return MetadataViolation(
            .value, key: "type", value: metadata["type"], expected: types.expectation,
            source: source?.description)
    }

    /// Returns the values that are not JSON strings, if the guide asks for strings.
    private func stringViolations(of metadata: Metadata) -> [MetadataViolation] {
        guard let source = profile.stringValues else { return [] }
        return metadata.countedMembers.compactMap { member in
            switch member.value {
            case .number, .flag:
                MetadataViolation(
                    .type, key: member.key, value: member.value, expected: "a JSON string",
                    source: source.description)
            default: nil
            }
        }
    }
}

extension MetadataValidator {
    private static let ireland = GuideSource(.irelandIOS, "AirPlay")
    private static let simplified = GuideSource(.simplified, "DCR & DTVR, ottData")

    /// The rules of every market for the screen that shows the picture.
    ///
    /// `casting` and `chromecast` are from guide 003; the others from guide 004 and the guide of Poland.
    package static let screenRules = [
        MetadataRule("ottStatus", .words(["0", "1"]), required: true, ireland),
        MetadataRule("ottType", .words(["casting", "airplay", "mirroring", "other"]), ireland),
        MetadataRule("ottDevice", .words(["chromecast", "airplay", "appleTV", "other"]), ireland),
        MetadataRule("ottDeviceModel", .text(), ireland),
        MetadataRule("ottDeviceID", .text(), simplified),
    ]
}

/// The spellings of keys in the guides.
package enum KeySpelling {
    /// Returns the keys whose capitals differ from every spelling in the guides.
    package static func violations(of metadata: Metadata) -> [MetadataViolation] {
        metadata.members.compactMap { member in
            guard let known = spellings[member.key.lowercased()], !known.contains(member.key) else {
                return nil
            }
            return MetadataViolation(
                .spelling, key: member.key, expected: known.map { "`\($0)`" }.joined(separator: " or "),
                source: source.description)
        }
    }

    private static let source = GuideSource(.irelandIOS, "Create metadata objects")

    /// The keys without a rule in a profile that the guides mention.
    private static let otherKeys = [
        "uoo", "optout", "containerId", "enableFpid", "crossId1", "crossId2", "mediaURL", "clientid",
        "subbrand", "progen", "section", "segA", "segB", "segC", "pipMode",
    ]

    /// The second spellings that the guides print: in the samples of 002 (Appendix A, DRM and OCR) and 003 (DTVR), and
    /// in the Android samples of guide 000.
    private static let variants = [
        "channelname", "appName", "appVersion", "appId", "ocrtag", "datasrc",
    ]

    /// All spellings of each key, by the key in lower case; the first is the usual one.
    private static let spellings: [String: [String]] = {
        let rules = MarketProfile.all.flatMap { $0.appRules + $0.channelRules + $0.tables.flatMap(\.rules) }
        var spellings: [String: [String]] = [:]
        for key in (rules + MetadataValidator.screenRules).map(\.key) + otherKeys + variants
        where !spellings[key.lowercased(), default: []].contains(key) {
            spellings[key.lowercased(), default: []].append(key)
        }
        return spellings
    }()
}
