/// The settings of a synthetic stream.
///
/// Equal settings produce byte-identical playlists and tags at the same PTS. The encoded video and audio are also
/// identical if the encoder versions are the same.
package struct SynthesisSettings: Sendable, Hashable {
    /// The duration of the stream in seconds, above 0 and at most 48 hours.
    package var duration = 120.0

    /// The segment duration in seconds, 1 to 60.
    ///
    /// At 6.4 seconds, which are exactly 160 pictures and 300 AAC frames, the segments of all renditions are aligned.
    package var segmentDuration = 6.4

    /// The interval between DATA tags and the time span of each in seconds, 1 to 12.
    package var tagInterval = 10

    /// The interval between INFO tags in seconds, from twice `tagInterval` to a day.
    package var infoInterval = 300

    /// The seed for random content IDs and blocks.
    package var seed: UInt64 = 0x4454_5652

    /// The start of the stream and of the first tag's time span, in Unix seconds.
    package var startTime: UInt32 = 1_795_176_000

    /// The PTS of the first picture and audio frame, any 33-bit value, so that it can wrap within the stream.
    package var startPTS: UInt64 = 900_000

    /// The sequence number of the first tag.
    package var firstSequence: UInt16 = 0

    /// The EXT-X-PROGRAM-DATE-TIME of the first segment in Unix milliseconds, or nil to omit it.
    package var programDateTime: Int64? = 1_795_176_000_000

    /// The renditions, in the order of the multivariant playlist; each name is a directory.
    package var renditions: [Rendition] = [
        Rendition(name: "v360", video: Video(width: 640, height: 360, maximumBitrate: 150_000)),
        Rendition(name: "v540", video: Video(width: 960, height: 540, maximumBitrate: 250_000)),
        Rendition(name: "audio", video: nil),
    ]

    /// The scheme and value of event message boxes.
    package var eventScheme = EventScheme.aomedia

    /// The fault to insert, or nil for none.
    package var fault: SynthesisFault?

    /// Whether to write into a directory with unrelated files, which are kept unless they have the same names.
    package var overwrite = false

    /// Creates the settings of the demonstration stream: two minutes, two video renditions and one audio rendition.
    package init() {}

    /// Returns settings for measurements: one long rendition with a constant bit rate, created much faster than real
    /// time.
    ///
    /// - Parameter bitrate: The video bit rate in bit/s, which the encoder reaches by padding.
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

    /// Switches all suitable renditions to `container`; packed audio is only suitable without video.
    package mutating func use(_ container: Container) {
        for index in renditions.indices where container != .packedAudio || renditions[index].video == nil {
            renditions[index].container = container
        }
    }

    /// Inserts a fault, and sets a suitable duration and container.
    package mutating func show(_ fault: SynthesisFault) {
        self.fault = fault
        duration = fault.fittingDuration
        if let container = fault.container { use(container) }
    }

    /// The container of the media.
    package enum Container: String, Sendable, Hashable, CaseIterable {
        /// An MPEG-2 transport stream with an elementary stream of timed ID3.
        case transportStream = "ts"
        /// Fragmented MP4 with event message boxes.
        case fragmentedMP4 = "fmp4"
        /// AAC in ADTS frames with ID3 tags between them (RFC 8216, section 3.4).
        case packedAudio = "packed-audio"

        /// The file extension of segments.
        var fileExtension: String {
            switch self {
            case .transportStream: "ts"
            case .fragmentedMP4: "m4s"
            case .packedAudio: "aac"
            }
        }
    }

    /// One rendition of the stream, which includes audio.
    package struct Rendition: Sendable, Hashable {
        /// The directory name, which consists of letters, digits, `-` and `_`.
        package var name: String
        /// The video settings, or nil for audio only.
        package var video: Video?
        /// The container of the media.
        package var container: Container
        /// The bit rate in bit/s to which segments of live channels are padded, or nil for no padding.
        package var bitrate: Int?
        /// Whether the rendition carries the tags.
        var carriesTags: Bool

        /// Creates a rendition, by default with small video and with tags in a transport stream.
        package init(
            name: String, video: Video? = .small, container: Container = .transportStream,
            bitrate: Int? = nil, carriesTags: Bool = true
        ) {
            self.name = name
            self.video = video
            self.container = container
            self.bitrate = bitrate
            self.carriesTags = carriesTags
        }
    }

    /// The video settings of a rendition, at 25 pictures per second.
    package struct Video: Sendable, Hashable {
        /// The width in pixels: even, 160 to 1920.
        package var width: Int
        /// The height in pixels: even, 90 to 1080.
        package var height: Int
        /// The maximum bit rate, in bit/s.
        package var maximumBitrate: Int
        /// Whether the bit rate is constant, which the encoder achieves by padding.
        var isConstantBitrate: Bool

        /// Video settings that are cheap to encode.
        package static let small = Video(width: 320, height: 180, maximumBitrate: 100_000)

        /// Creates video settings, by default with a variable bit rate.
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

        /// Creates a scheme; `version` must be 0 or 1.
        package init(uri: String, value: String, version: UInt8) {
            self.uri = uri
            self.value = value
            self.version = version
        }

        /// The scheme that CMAF specifies: timed ID3 in an `emsg` box of version 1.
        package static let aomedia = EventScheme(uri: "https://aomedia.org/emsg/ID3", value: "", version: 1)
    }
}

/// The timeline of a stream in ticks of 90 kHz, with the positions of pictures, audio frames and segments.
extension SynthesisSettings {
    static let ticksPerSecond: Int64 = 90_000
    /// The duration of a picture at 25 pictures per second.
    static let pictureTicks: Int64 = 3600
    static let sampleRate = 48_000
    static let samplesPerAudioFrame = 1024
    /// The duration of 1024 samples at 48 kHz, a whole number of ticks.
    static let audioFrameTicks: Int64 = 1920

    /// Converts seconds to ticks; `validate` bounds the value.
    static func ticks(_ seconds: Double) -> Int64 { Int64((seconds * 90_000).rounded()) }

    /// The nominal duration of a segment.
    var segmentTicks: Int64 { Self.ticks(segmentDuration) }
    var segmentCount: Int { Int((Self.ticks(duration) + segmentTicks - 1) / segmentTicks) }
    var audioFrameCount: Int { Int((Self.ticks(duration) + Self.audioFrameTicks - 1) / Self.audioFrameTicks) }

    /// Returns the start of segment `index` in ticks, if all its access units have the duration `unitTicks`.
    ///
    /// This is the start of the first access unit at or after the nominal position. For the index after the last
    /// segment, it is the end of the last unit.
    func segmentStart(_ index: Int, unitTicks: Int64) -> Int64 {
        let nominal = index < segmentCount ? Int64(index) * segmentTicks : Self.ticks(duration)
        return (nominal + unitTicks - 1) / unitTicks * unitTicks
    }
}
