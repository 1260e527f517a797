/// What a synthetic stream is to be like.
///
/// The same settings give the same playlists and the same tags at the same PTS, byte for byte; the coded
/// pictures and sound are the same with the same version of the encoders.
package struct SynthesisSettings: Sendable, Hashable {
    /// The stream's length in seconds, above 0 and at most 48 hours.
    package var duration = 120.0

    /// The length of a segment in seconds, 1 to 60.
    ///
    /// 6.4 seconds are 160 pictures and 300 AAC frames exactly, so that all renditions have segments that begin at the same times.
    package var segmentDuration = 6.4

    /// Seconds from one DATA tag to the next, and spanned by each, 1 to 12.
    package var tagInterval = 10

    /// Seconds from one INFO tag to the next, from twice `tagInterval` to a day.
    package var infoInterval = 300

    /// Where the random content ids and blocks come from.
    package var seed: UInt64 = 0x4454_5652

    /// Unix seconds at which the first tag's span begins: the stream's start.
    package var startTime: UInt32 = 1_795_176_000

    /// The PTS of the first picture and sound; may lie anywhere in the 33 bits, so that it wraps on the way.
    package var startPTS: UInt64 = 900_000

    /// The number of the first tag.
    package var firstSequence: UInt16 = 0

    /// The first segment's EXT-X-PROGRAM-DATE-TIME in Unix milliseconds; nil for none.
    package var programDateTime: Int64? = 1_795_176_000_000

    /// The renditions, in the order of the multivariant playlist; each name is a directory.
    package var renditions: [Rendition] = [
        Rendition(name: "v360", video: Video(width: 640, height: 360, maximumBitrate: 150_000)),
        Rendition(name: "v540", video: Video(width: 960, height: 540, maximumBitrate: 250_000)),
        Rendition(name: "audio", video: nil),
    ]

    /// The scheme and value of event message boxes.
    package var eventScheme = EventScheme.aomedia

    /// What is to be wrong; nil for nothing.
    package var fault: SynthesisFault?

    /// Whether files in the directory that are not ours are left there and written over.
    package var overwrite = false

    /// The demonstration stream: two minutes, two pictures and one sound alone.
    package init() {}

    /// One long rendition of a constant rate, made far faster than it plays: something to measure with.
    ///
    /// `bitrate` is that of the pictures, in bit/s; the encoder fills up what the pattern does not need.
    package static func bulk(bitrate: Int = 5_000_000, duration: Double) -> SynthesisSettings {
        var settings = SynthesisSettings()
        settings.duration = duration
        settings.segmentDuration = 6
        settings.renditions = [
            Rendition(
                name: "bulk",
                video: Video(width: 320, height: 180, maximumBitrate: bitrate, isConstantBitrate: true))
        ]
        return settings
    }

    /// Puts every rendition that can be into `container`: packed audio only takes those without pictures.
    package mutating func use(_ container: Container) {
        for index in renditions.indices where container != .packedAudio || renditions[index].video == nil {
            renditions[index].container = container
        }
    }

    /// Puts a fault in, and sets the length and the container to what suits it.
    package mutating func show(_ fault: SynthesisFault) {
        self.fault = fault
        duration = fault.fittingDuration
        if let container = fault.container { use(container) }
    }

    /// The bytes around the pictures and the sound.
    package enum Container: String, Sendable, Hashable, CaseIterable {
        /// An MPEG-2 transport stream with an elementary stream of timed ID3.
        case transportStream = "ts"
        /// Fragmented MP4 with event message boxes.
        case fragmentedMP4 = "fmp4"
        /// AAC in ADTS frames with ID3 tags between them (RFC 8216, section 3.4).
        case packedAudio = "packed-audio"
    }

    /// One version of the stream, with the sound in it.
    package struct Rendition: Sendable, Hashable {
        /// Its directory: letters, digits, `-` and `_`.
        package var name: String
        /// Its pictures; nil for sound alone.
        package var video: Video?
        /// The bytes around them.
        package var container: Container

        /// A rendition.
        package init(name: String, video: Video?, container: Container = .transportStream) {
            self.name = name
            self.video = video
            self.container = container
        }
    }

    /// The pictures of a rendition, 25 a second.
    package struct Video: Sendable, Hashable {
        /// Their width in pixels: even, 160 to 1920.
        package var width: Int
        /// Their height in pixels: even, 90 to 1080.
        package var height: Int
        /// The most bits a second that they take.
        package var maximumBitrate: Int
        /// Whether they always take as many, which the encoder reaches by filling up.
        package var isConstantBitrate: Bool

        /// The pictures of a rendition.
        package init(width: Int, height: Int, maximumBitrate: Int, isConstantBitrate: Bool = false) {
            self.width = width
            self.height = height
            self.maximumBitrate = maximumBitrate
            self.isConstantBitrate = isConstantBitrate
        }
    }

    /// The `scheme_id_uri`, `value` and version of an event message box.
    package struct EventScheme: Sendable, Hashable {
        /// The `scheme_id_uri`.
        package var uri: String
        /// The `value`.
        package var value: String
        /// The version, 0 or 1.
        package var version: UInt8

        /// A scheme.
        package init(uri: String, value: String, version: UInt8) {
            self.uri = uri
            self.value = value
            self.version = version
        }

        /// The CMAF rule: timed ID3 in an `emsg` of version 1.
        package static let aomedia = EventScheme(uri: "https://aomedia.org/emsg/ID3", value: "", version: 1)
        /// The CMAF scheme with the value that GPAC gives to Nielsen tags.
        package static let gpac = EventScheme(
            uri: "https://aomedia.org/emsg/ID3", value: "www.nielsen.com:id3:v1", version: 1)
        /// Nielsen's own rule for DASH, in version 1.
        package static let nielsen = EventScheme(uri: "www.nielsen.com:id3:v1", value: "1", version: 1)
        /// What older packagers write.
        package static let apple = EventScheme(
            uri: "https://developer.apple.com/streaming/emsg-id3", value: "", version: 1)
        /// A box of version 0, as seen with genuine tags.
        package static let id3Organization = EventScheme(uri: "http://www.id3.org/", value: "502", version: 0)
    }
}
