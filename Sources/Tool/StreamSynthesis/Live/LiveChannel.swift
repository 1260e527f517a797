import ByteReading
import CDTVRCrypto

/// A live channel, with its timeline, tags, timestamps and segments.
struct LiveChannel {
    let settings: LiveSettings
    let timeline: LiveTimeline
    private let seed: UInt64
    private let tags: LiveTagSequence
    /// The start of the station, in Unix milliseconds.
    private let startTime: Int64

    /// The second day of 1970, because a tag's offset must not precede the first broadcast day.
    private static let earliestTime: Int64 = 86_400

    /// Creates a channel; `number` is counted from 1.
    init(_ settings: LiveSettings, number: Int, events: [LiveScript.Event], startTime: Int64) {
        self.settings = settings
        self.startTime = startTime
        timeline = LiveTimeline(settings, channel: number, events: events)
        var source = SplitMix64(seed: settings.seed, stream: 5, index: UInt64(number))
        seed = source.next()
        let ownStart = Int64(source.next() % (1 << 33)) / 15 * 15
        tags = LiveTagSequence(
            seed: seed,
            startTime: UInt32(clamping: max(Self.earliestTime, (startTime + timeline.origin) / 1_000)),
            startPTS: settings.startPTS.map { Int64($0) } ?? ownStart,
            firstSequence: UInt16(truncatingIfNeeded: source.next()))
    }

    /// Returns the start of a segment in Unix milliseconds.
    func wallTime(of segment: Int64) -> Int64 { startTime + timeline.start(of: segment) }

    /// Returns a segment, encrypted if the script requires it.
    func segment(
        _ segment: Int64, of rendition: LiveSettings.Rendition, from template: any SegmentTemplate
    ) throws(SynthesisError) -> [UInt8] {
        let ticks = settings.segmentTicks
        let place = segment * ticks
        var stamp = SegmentStamp(
            index: segment, time: tags.startPTS + place, tagCount: tags.count(before: place))
        if let adBreak = timeline.adBreak(at: segment) {
            let first = adBreak.segments.lowerBound
            stamp.time = breakPTS(startingWith: first) + (segment - first) * ticks
        }
        let bytes = template.segment(stamp, tags: rendition.carriesTags ? tagEntries(in: segment) : [])
        guard let start = timeline.keyStart(at: segment) else { return bytes }
        return try SegmentEncryption.encrypt(bytes, key: key(start), vector: Self.vector(start))
    }

    /// Returns the tags of a segment in time order, as they appear in renditions with tags.
    func tagEntries(in segment: Int64) -> [TagSchedule.Entry] {
        guard timeline.adBreak(at: segment) == nil else { return [] }
        let place = segment * settings.segmentTicks
        return tags.tags(in: place..<place + settings.segmentTicks).filter {
            !timeline.hasNoTags(at: timeline.origin + $0.moment / 90)
        }.map(\.entry)
    }

    /// Returns the first timestamp of a break, which is unrelated to those of the channel.
    private func breakPTS(startingWith segment: Int64) -> Int64 {
        var source = SplitMix64(seed: seed, stream: 6, index: UInt64(segment))
        return Int64(source.next() % (1 << 33)) / 15 * 15
    }

    // MARK: Keys

    /// Returns the 16-byte key that is valid from `start`.
    func key(_ start: Int64) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: 7, index: UInt64(bitPattern: start))
        return source.bytes(16)
    }

    /// Returns the initialization vector of the key that is valid from `start`.
    static func vector(_ start: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + UInt64(bitPattern: start).bigEndianBytes
    }
}

/// AES-128 encryption in CBC mode with PKCS7 padding, as used with EXT-X-KEY (RFC 8216, section 4.3.2.4).
enum SegmentEncryption {
    /// Returns the encrypted bytes; the key and the vector must be 16 bytes each.
    static func encrypt(
        _ bytes: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(SynthesisError) -> [UInt8] {
        precondition(key.count == 16 && vector.count == 16, "a key and a vector have 16 bytes")
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw failure }
        // The context is used only in this call.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var encrypted = [UInt8](repeating: 0, count: bytes.count + 16)
        var count: Int32 = 0
        var lastCount: Int32 = 0
        // The output has room for one more block than the input, the maximum length of the padding.
        let isDone = unsafe encrypted.withUnsafeMutableBufferPointer { output in
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1
                && EVP_EncryptUpdate(context, output.baseAddress, &count, bytes, Int32(bytes.count)) == 1
                && EVP_EncryptFinal_ex(context, output.baseAddress.map { unsafe $0 + Int(count) }, &lastCount)
                    == 1
        }
        guard isDone else { throw failure }
        return Array(encrypted.prefix(Int(count + lastCount)))
    }

    private static var failure: SynthesisError {
        .library(function: "EVP_EncryptInit_ex", code: 0, message: "libcrypto cannot encrypt with AES-128")
    }
}
