import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// A synthetic tag at a position in a rendition: opaque pieces, clear fields and a valid checksum.
struct ComparedTag {
    var sequence: UInt16
    var position: Double
    /// Ticks of 90 kHz; nil if the tag has no time.
    var pts: UInt64?
    /// The unwrapped time in seconds; nil for `pts` without unwrapping.
    var seconds: Double?
    var carriage = Carriage.transportStream(pid: 258)
    var kind: UInt8 = 2
    var filling: UInt8 = 7
    var firstTime: UInt32 = 1_700_000_000
    var damage: Damage?

    enum Damage: CaseIterable { case checksum, format, cut }

    /// Creates a tag at a position; its PTS is that of a stream that begins at 10 s.
    init(_ sequence: UInt16, at position: Double) {
        self.sequence = sequence
        self.position = position
        pts = UInt64(((position + 10) * 90_000).rounded())
        firstTime += UInt32(sequence) * 10
    }

    /// Returns the tag, moved in position and in PTS.
    func moved(by ticks: Int) -> ComparedTag {
        var tag = self
        tag.position += Double(ticks) / 90_000
        if let pts { tag.pts = UInt64(Int(pts) + ticks) }
        return tag
    }

    func observed() throws -> TagOccurrence {
        let owner = damage == .format ? owner.replacing("==/", with: "=*/", maxReplacements: 1) : owner
        let decoded = NielsenTag(ownerIdentifier: Array(owner.utf8).span)
        let tag = try #require(decoded)
        let time = pts.map { MediaTimestamp(pts: $0) }
        let occurrence = TagOccurrence(
            tag: tag,
            origin: TagOrigin.recording(
                TagPlace(
                    source: "sample", segment: "seg\(Int(position / 6)).ts",
                    mediaSequence: UInt64(position / 6))),
            time: time, seconds: seconds ?? time?.seconds, carriage: carriage, isTruncated: damage == .cut,
            position: position)
        return TagPolicy().checked(occurrence)
    }

    private var owner: String {
        var blob = [UInt8(truncatingIfNeeded: sequence >> 8), UInt8(truncatingIfNeeded: sequence), kind]
        blob += [UInt8](repeating: filling, count: 112)
        for time in [firstTime, firstTime + 10] {
            blob += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) }
        }
        var sum = blob.reduce(UInt16(0)) { $0 &+ UInt16($1) }
        if damage == .checksum { sum &+= 1 }
        blob += [UInt8(truncatingIfNeeded: sum >> 8), UInt8(truncatingIfNeeded: sum)]
        let cid = Self.base64([UInt8](repeating: 1, count: 16))
        return "www.nielsen.com/\(cid)/\(cid)/\(Self.base64(blob))/00100/00100/00"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count)) & 0x3F])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count)) & 0x3F]) }
        while text.count % 4 != 0 { text.append(0x3D) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A presentation of tags, and its input to a comparison.
enum ComparedPresentation {
    /// Twelve tags, one every 10 s, in 120 s of media.
    static let tags: [ComparedTag] = (0..<12).map { (index: Int) -> ComparedTag in
        ComparedTag(UInt16(50 + index), at: Double(5 + 10 * index))
    }

    enum Order: CaseIterable { case inTurn, oneAfterTheOther, lastFirst }

    /// Compares renditions of 6-second segments with the given lengths; their tags must be in order of position.
    static func compare(
        _ renditions: [[ComparedTag]], lengths: [Double]? = nil, units: [[Int]]? = nil,
        starts: [Double]? = nil, hasCommonTimeline: Bool = true,
        policy: HealthPolicy = HealthPolicy(), order: Order = .inTurn
    ) throws -> [CheckOutcome] {
        var comparison = TagComparison(
            policy: policy, renditions: renditions.indices.map { "v\($0)" }, units: units, starts: starts,
            hasCommonTimeline: hasCommonTimeline)
        try feed(renditions, lengths: lengths, order: order, to: &comparison)
        comparison.finish()
        return comparison.outcomes
    }

    static func feed(
        _ renditions: [[ComparedTag]], lengths: [Double]? = nil, order: Order = .inTurn,
        to comparison: inout TagComparison
    ) throws {
        let lengths = lengths ?? renditions.map { _ in 120 }
        var steps: [(rendition: Int, segment: Int)] = []
        for (rendition, length) in lengths.enumerated() {
            steps += (0..<Int((length / 6).rounded(.up))).map { (rendition, $0) }
        }
        switch order {
        case .oneAfterTheOther: break
        case .inTurn: steps.sort { ($0.segment, $0.rendition) < ($1.segment, $1.rendition) }
        case .lastFirst: steps.sort { ($1.rendition, $0.segment) < ($0.rendition, $1.segment) }
        }
        var fed = renditions.map { _ in 0 }
        for step in steps {
            let end = min(Double(step.segment + 1) * 6, lengths[step.rendition])
            var next = fed[step.rendition]
            while next < renditions[step.rendition].count, renditions[step.rendition][next].position < end {
                comparison.observe(try renditions[step.rendition][next].observed(), rendition: step.rendition)
                next += 1
            }
            fed[step.rendition] = next
            comparison.advance(rendition: step.rendition, to: end)
        }
        for rendition in renditions.indices { comparison.advance(rendition: rendition, to: .infinity) }
    }
}

extension [CheckOutcome] {
    /// `rendition.tags-differ`.
    var tagsDiffer: CheckOutcome { self[0] }
    /// `rendition.time-differs`.
    var timeDiffers: CheckOutcome { self[1] }
}
