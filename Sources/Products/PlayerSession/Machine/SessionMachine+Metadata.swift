import MarketProfiles

/// The metadata of the asset that is playing.
extension SessionMachine {
    /// The maximum number of different values of `segA`, `segB` and `segC` together.
    private static let maximumSegmentCount = 25

    mutating func loadMetadata(
        _ call: SessionCall, type: AssetType? = nil, at now: Duration, _ step: inout SessionStep
    ) {
        guard let value = call.argument(0), var metadata = Metadata(value, names: policy.names) else {
            step.find(.valueType)
            step.fail(.metadataJSON)
            return
        }
        if let type, metadata.text("type") == nil {
            metadata = metadata.updated(
                with: Metadata(members: [MetadataValue.Member("type", .text(type.rawValue))]))
        }
        validate(validator.violations(ofAsset: metadata), &step)
        countSegments(of: metadata, &step)
        load(metadata, form: call.form, &step)
        if let position = call.argument(1) { move(to: position, at: now, &step) }
    }

    /// Makes the asset with this metadata the one that is playing.
    mutating func load(_ metadata: Metadata, form: SessionCall.Form, _ step: inout SessionStep) {
        let channel = channelName(in: metadata, &step)
        let next = PlayedAsset(metadata)
        if next.isTruncated { step.find(.keyLength) }
        if let asset, !asset.isSame(as: next) { summarize(&step) }
        if let current = viewing, let channel, let known = current.channel, known != channel {
            change(&step)
            open(channel, form: form)
        } else if var current = viewing {
            if let asset, !asset.isSame(as: next), asset.isAd, !current.isStopped { step.find(.adNotClosed) }
            current.resume()
            if let channel { name(channel, &current) }
            viewing = current
        } else if ending == .end, next.isAd {
            // An advertisement after the content belongs to the same channel.
            open(channel ?? lastChannel, form: form)
            viewing?.hasPlay = true
        } else {
            open(channel, form: form)
        }
        if !(asset?.isSame(as: next) ?? false) { playhead.changeAsset() }
        viewing?.hasMetadata = true
        followSource(in: metadata)
        asset = next
    }

    mutating func updateMetadata(_ call: SessionCall, _ step: inout SessionStep) {
        guard let value = call.argument(0), let metadata = Metadata(value, names: policy.names) else {
            step.find(.valueType)
            step.fail(.metadataJSON)
            return
        }
        validate(validator.violations(ofPart: metadata), &step)
        countSegments(of: metadata, &step)
        guard var current = viewing else {
            step.find(.callOutOfOrder)
            return
        }
        if let channel = channelName(in: metadata, &step), current.channel == nil { name(channel, &current) }
        if asset == nil { step.find(.callOutOfOrder) }
        current.hasMetadata = true
        viewing = current
        var corrected = asset ?? PlayedAsset(Metadata())
        corrected.correct(with: metadata)
        if corrected.isTruncated { step.find(.keyLength) }
        asset = corrected
    }

    func validate(_ violations: [MetadataViolation], _ step: inout SessionStep) {
        for violation in violations { step.find(violation.kind.finding) }
    }

    private mutating func countSegments(of metadata: Metadata, _ step: inout SessionStep) {
        for key in ["sega", "segb", "segc"] {
            guard let value = metadata.text(key), segments.count <= Self.maximumSegmentCount else { continue }
            segments.insert(value)
            if segments.count > Self.maximumSegmentCount { step.find(.keyValue) }
        }
    }
}

extension MetadataViolation.Kind {
    fileprivate var finding: SessionFinding {
        switch self {
        case .missing: .keyMissing
        case .spelling: .keyCase
        case .type: .valueType
        case .length: .keyLength
        case .alphabet: .keyAlphabet
        case .airdate: .keyAirdate
        case .value: .keyValue
        }
    }
}
