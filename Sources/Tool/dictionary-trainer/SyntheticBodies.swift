import ByteReading
import ID3v2
import NielsenID3
import TagRecord

/// A generator of stored bodies from synthetic tags, with realistic fixed parts and opaque parts from a fixed seed.
struct SyntheticBodies {
    private static let nullCID: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]

    private var state: UInt64
    private var sequence: UInt16 = 0
    private var time: UInt32 = 1_790_000_000

    init(seed: UInt64) { state = seed }

    /// Returns the next body, or nil if the decoder rejects the synthetic tag.
    mutating func next() -> [UInt8]? {
        let isInfo = sequence % 30 == 0
        let owner = ownerIdentifier(isInfo: isInfo)
        guard let tag = NielsenTag(ownerIdentifier: owner.span) else { return nil }
        let ticks = UInt64(time % 90_000) * 90_000
        let record = TagOccurrence(
            tag: tag, origin: origin(), time: MediaTimestamp(pts: ticks), seconds: Double(ticks) / 90_000,
            carriage: carriage())
        sequence &+= 1
        time += 10
        return StoredBody.encode(record)
    }

    private mutating func random() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    private mutating func random(below bound: UInt64) -> UInt64 { random() % bound }

    private mutating func block() -> [UInt8] { (0..<16).map { _ in UInt8(truncatingIfNeeded: random()) } }

    private mutating func ownerIdentifier(isInfo: Bool) -> [UInt8] {
        let shape = random(below: 4)
        let pc = isInfo || shape == 0 ? Self.nullCID : block()
        let fd = isInfo || shape == 1 ? Self.nullCID : block()
        var blob: [UInt8] = [UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence), isInfo ? 1 : 2]
        let used = isInfo ? 5 : 2 + Int(random(below: 6))
        for index in 0..<7 {
            let isLastOfInfo = isInfo && index == 6
            blob += isLastOfInfo ? [UInt8](repeating: 0, count: 16) : index < used ? block() : Self.nullCID
        }
        for value in [time, isInfo ? time : time + 10] {
            blob.append(bigEndian: value)
        }
        let sum = blob.reduce(UInt16(0)) { $0 &+ UInt16($1) }
        blob += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
        let day = random(below: 86_400)
        let pcOffset = pc == Self.nullCID ? 0 : day
        let fdOffset = fd == Self.nullCID ? 0 : day
        let encoded = [pc, fd, blob].map { String(decoding: Base64.urlSafe($0), as: UTF8.self) }
        let path = encoded + [digits(pcOffset, 5), digits(fdOffset, 5), "00"]
        return Array("www.nielsen.com/\(path.joined(separator: "/"))".utf8)
    }

    private mutating func origin() -> TagOrigin {
        let hosts = ["live.example.com", "cdn.example.net/hls", "origin.example.org/out/v1"]
        let host = hosts[Int(random(below: 3))]
        let number = UInt64(sequence) + 10_000
        switch random(below: 4) {
        case 0:
            return TagOrigin.recording(
                TagPlace(
                    source: "media/channel\(random(below: 9))/index.m3u8",
                    segment: "seg\(digits(number, 5)).ts",
                    mediaSequence: number))
        case 1:
            return TagOrigin.recording(
                TagPlace(
                    source: "https://\(host)/channel\(random(below: 99))/master.m3u8",
                    renditions: ["v1/index.m3u8"],
                    segment: "segment_\(number).ts", mediaSequence: number,
                    programDateTime: Int64(time) * 1_000))
        case 2:
            return TagOrigin.recording(
                TagPlace(
                    source: "https://\(host)/channel\(random(below: 99))/playlist.m3u8",
                    renditions: ["video/360p/playlist.m3u8", "audio/en/playlist.m3u8"],
                    segment: "chunk-\(number).m4s", mediaSequence: number,
                    programDateTime: Int64(time) * 1_000))
        default:
            return TagOrigin.recording(TagPlace(source: "player"))
        }
    }

    private mutating func carriage() -> Carriage {
        let schemes = [
            ("https://aomedia.org/emsg/ID3", "www.nielsen.com:id3:v1"), ("www.nielsen.com:id3:v1", "1"),
            ("https://developer.apple.com/streaming/emsg-id3", ""),
        ]
        switch random(below: 6) {
        case 0:
            let (scheme, value) = schemes[Int(random(below: 3))]
            return .eventMessage(
                .init(
                    schemeIDURI: scheme, value: value, version: 1, id: UInt32(sequence), duration: 0xFFFF_FFFF
                ))
        case 1: return .packedAudio
        default: return .transportStream(pid: 258)
        }
    }

    private func digits(_ number: UInt64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
