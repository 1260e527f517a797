package import ID3v2
package import NielsenID3

/// The findings of a check that state the same, with the first and the last of them.
///
/// Those of a recording differ only in their places, so that each measured value is in a report. A live channel repeats
/// a problem with other values each time: its findings differ only in numbers.
package struct FindingGroup: Sendable, Hashable {
    /// The violated check.
    package let check: CheckID
    /// The first finding.
    package let first: Finding
    /// The last finding.
    package private(set) var last: Finding
    /// The times of the first and of the last finding; nil for a recording.
    package let firstTime: WallTime?
    package private(set) var lastTime: WallTime?
    /// The number of findings.
    package private(set) var count = 1
    fileprivate let key: Key

    /// Creates the group of one finding; `time` is nil for a recording.
    fileprivate init(_ finding: Finding, of check: CheckID, at time: WallTime?) {
        self.check = check
        first = finding
        last = finding
        firstTime = time
        lastTime = time
        key = Key(finding, of: check, isLive: time != nil)
    }

    /// Adds a finding of the group.
    fileprivate mutating func add(_ finding: Finding, at time: WallTime?) {
        last = finding
        lastTime = time
        count += 1
    }

    /// The finding whose text stands for all: the last one of a live channel, otherwise the first one.
    ///
    /// Its owner identifiers are shortened.
    package var example: Finding {
        var example = lastTime == nil ? first : last
        example.detail = Finding.shortened(example.detail)
        example.consequences = example.consequences.map {
            Finding.Consequence(check: $0.check, status: $0.status, detail: Finding.shortened($0.detail))
        }
        return example
    }

    /// The text of a finding without the data in which those of a group differ.
    fileprivate struct Key: Sendable, Hashable {
        private let check: CheckID
        private let status: CheckStatus
        private let text: String

        init(_ finding: Finding, of check: CheckID, isLive: Bool) {
            self.check = check
            status = finding.status
            let texts = [finding.detail] + finding.consequences.map { "\($0.check.rawValue) \($0.detail)" }
            text =
                texts.map { isLive ? Self.withoutNumbers($0) : Self.withoutPlace($0, finding.place) }
                .joined(separator: "\n")
        }

        /// Replaces owner identifiers, byte offsets and the tag's own sequence number.
        private static func withoutPlace(_ detail: String, _ place: Finding.Place) -> String {
            let sequence = place.sequence.map { String($0) }
            var isAfterByte = false
            let words = Finding.shortened(detail, longerThan: 0).split(separator: " ").map {
                word -> Substring in
                let isOffset = isAfterByte
                isAfterByte = word == "byte"
                let number = word.prefix { $0.isNumber }
                let rest = word.dropFirst(number.count)
                // In "FFmpeg 5.1", the 5 is not a sequence number.
                guard !number.isEmpty, !rest.contains(where: \.isNumber) else { return word }
                return isOffset || String(number) == sequence ? "#" + rest : word
            }
            return words.joined(separator: " ")
        }

        /// Replaces owner identifiers and numbers, decimal or hexadecimal.
        ///
        /// It reads the bytes once, because a channel can have thousands of findings a second.
        private static func withoutNumbers(_ detail: String) -> String {
            let domain = "nielsen.com".utf8
            var text: [UInt8] = []
            text.reserveCapacity(detail.utf8.count)
            var wordStart = 0
            var isInNumber = false
            var isInOwner = false
            for byte in detail.utf8 {
                switch byte {
                case UInt8(ascii: " "):
                    (isInNumber, isInOwner) = (false, false)
                    text.append(byte)
                    wordStart = text.count
                case _ where isInOwner: continue
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    if !isInNumber { text.append(UInt8(ascii: "#")) }
                    isInNumber = true
                case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "x"), UInt8(ascii: "."):
                    if !isInNumber { text.append(byte) }
                case UInt8(ascii: "/") where text[wordStart...].suffix(domain.count).elementsEqual(domain):
                    isInOwner = true
                    text.removeSubrange(wordStart...)
                default:
                    isInNumber = false
                    text.append(byte)
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}

/// The form in which the findings of a live channel are stored across a restart.
extension FindingGroup: Codable {
    private enum CodingKeys: String, CodingKey {
        case check, status, detail, count, consequences, first, last
        case at, rendition, segment, position, seconds, pts, sequence, tag
        case mediaSequence = "media_sequence"
        case renditionIndex = "rendition_index"
        case isOfBackup = "backup"
    }

    /// Decodes a group; an unknown severity of a later version counts as `fail`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let check = CheckID(try values.decode(String.self, forKey: .check))
        let status = CheckStatus(rawValue: try values.decode(String.self, forKey: .status)) ?? .fail
        let detail = try values.decode(String.self, forKey: .detail)
        func finding(_ key: CodingKeys) throws -> (Finding, at: WallTime) {
            let end = try values.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
            let finding = Finding(status: status, place: try Self.place(in: end), detail: detail)
            return (finding, WallTime(unixSeconds: try end.decode(Double.self, forKey: .at)))
        }
        let (first, firstTime) = try finding(.first)
        var (last, lastTime) = try finding(.last)
        last.consequences =
            try values.decodeIfPresent([[String]].self, forKey: .consequences)?.compactMap {
                guard $0.count == 3 else { return nil }
                return Finding.Consequence(
                    check: CheckID($0[0]), status: CheckStatus(rawValue: $0[1]) ?? .fail, detail: $0[2])
            } ?? []
        self.check = check
        self.first = first
        self.firstTime = firstTime
        self.last = last
        self.lastTime = lastTime
        // A damaged file may state any number.
        count = Int(max(1, try values.decode(Int32.self, forKey: .count)))
        key = Key(last, of: check, isLive: true)
    }

    private static func place(in values: KeyedDecodingContainer<CodingKeys>) throws -> Finding.Place {
        var place = Finding.Place()
        place.rendition = try values.decodeIfPresent(String.self, forKey: .rendition)
        place.segment = try values.decodeIfPresent(String.self, forKey: .segment)
        place.mediaSequence = try values.decodeIfPresent(UInt64.self, forKey: .mediaSequence)
        place.position = try values.decodeIfPresent(Double.self, forKey: .position)
        place.seconds = try values.decodeIfPresent(Double.self, forKey: .seconds)
        place.pts = try values.decodeIfPresent(UInt64.self, forKey: .pts)
        place.sequence = try values.decodeIfPresent(UInt16.self, forKey: .sequence)
        place.tagIndex = try values.decodeIfPresent(Int.self, forKey: .tag)
        let isOfBackup = try values.decodeIfPresent(Bool.self, forKey: .isOfBackup) ?? false
        place.renditionID = RenditionID(
            try values.decodeIfPresent(Int.self, forKey: .renditionIndex) ?? 0,
            of: isOfBackup ? .backup : .primary)
        return place
    }

    /// Encodes the group.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(check.rawValue, forKey: .check)
        try values.encode(last.status.rawValue, forKey: .status)
        try values.encode(last.detail, forKey: .detail)
        try values.encode(Int32(clamping: count), forKey: .count)
        if !last.consequences.isEmpty {
            let consequences = last.consequences.map { [$0.check.rawValue, $0.status.rawValue, $0.detail] }
            try values.encode(consequences, forKey: .consequences)
        }
        for (key, place, time) in [
            (CodingKeys.first, first.place, firstTime), (.last, last.place, lastTime),
        ] {
            var end = values.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
            try end.encodeIfPresent(time?.unixSeconds, forKey: .at)
            try Self.encode(place, to: &end)
        }
    }

    private static func encode(
        _ place: Finding.Place, to values: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        try values.encodeIfPresent(place.rendition, forKey: .rendition)
        try values.encodeIfPresent(place.segment, forKey: .segment)
        try values.encodeIfPresent(place.mediaSequence, forKey: .mediaSequence)
        try values.encodeIfPresent(place.position, forKey: .position)
        try values.encodeIfPresent(place.seconds, forKey: .seconds)
        try values.encodeIfPresent(place.pts, forKey: .pts)
        try values.encodeIfPresent(place.sequence, forKey: .sequence)
        try values.encodeIfPresent(place.tagIndex, forKey: .tag)
        guard let rendition = place.renditionID else { return }
        if rendition.index != 0 { try values.encode(rendition.index, forKey: .renditionIndex) }
        if rendition.source == .backup { try values.encode(true, forKey: .isOfBackup) }
    }
}

extension [FindingGroup] {
    /// Adds a finding of a live channel; its group becomes the last one.
    ///
    /// - Parameter limit: The maximum number of groups; beyond it, the one whose last finding is the oldest is removed.
    mutating func add(_ finding: Finding, of check: CheckID, at time: WallTime, limit: Int) {
        let new = FindingGroup(finding, of: check, at: time)
        guard let index = lastIndex(where: { $0.key == new.key }) else {
            if count >= limit { removeFirst() }
            return append(new)
        }
        self[index].add(finding, at: time)
        if index < endIndex - 1 { append(remove(at: index)) }
    }
}

extension CheckOutcome {
    /// The groups of its listed findings, in the order of their first findings.
    package var groups: [FindingGroup] {
        var groups: [FindingGroup] = []
        var indices: [FindingGroup.Key: Int] = [:]
        for finding in findings {
            let new = FindingGroup(finding, of: id, at: nil)
            if let index = indices[new.key] {
                groups[index].add(finding, at: nil)
            } else {
                indices[new.key] = groups.count
                groups.append(new)
            }
        }
        return groups
    }
}
