import HLSPlaylist

/// The segments of a media playlist, whose references are resolved on access.
struct ListedSegments: Sendable {
    private let segments: [MediaSegment]
    private let address: InputAddress
    /// The indices of the segments at which the initialization segment changes, in order.
    private let sectionStarts: [Int]

    /// Creates the list of the segments in a playlist at `address`.
    init(_ segments: [MediaSegment], at address: InputAddress) {
        self.segments = segments
        self.address = address
        var section: InitializationSection?
        var starts: [Int] = []
        for (index, segment) in segments.enumerated() where segment.map != section {
            starts.append(index)
            section = segment.map
        }
        sectionStarts = starts
    }

    var count: Int { segments.count }

    /// Returns a segment; if its references cannot be resolved, reading it fails with the reason.
    subscript(index: Int) -> Presentation.Segment {
        let listed = segments[index]
        var segment = Presentation.Segment(listed)
        do throws(InputError) {
            segment.address = try address.resolving(listed.uri)
            segment.encryption = try Presentation.Encryption(listed.key, of: listed, playlistAt: address)
        } catch {
            segment.unreadable = error
        }
        segment.initialization = initialization(of: index)
        return segment
    }

    /// Returns the initialization segment of a segment.
    ///
    /// One initialization segment serves many segments. Without an explicit IV, it uses the IV of the first of them.
    private func initialization(of index: Int) -> Presentation.Initialization? {
        guard let section = segments[index].map else { return nil }
        let first = sectionStart(of: index)
        do throws(InputError) {
            return try Presentation.Initialization(section, before: segments[first], playlistAt: address)
        } catch {
            // The segments are read without it.
            return Presentation.Initialization(
                name: section.uri, address: .path(section.uri), byteRange: section.byteRange, encryption: nil,
                unreadable: error)
        }
    }

    /// Returns the index of the first segment that uses the same initialization segment.
    private func sectionStart(of index: Int) -> Int {
        var low = 0
        var high = sectionStarts.count
        while low < high {
            let middle = (low + high) / 2
            if sectionStarts[middle] <= index { low = middle + 1 } else { high = middle }
        }
        // A segment with an initialization segment is at or after the start of such a run.
        return low > 0 ? sectionStarts[low - 1] : index
    }
}

extension Presentation.Segment {
    /// Creates a segment from its playlist entry, without its references.
    fileprivate init(_ listed: MediaSegment) {
        self.init(address: .path(listed.uri), name: listed.uri)
        byteRange = listed.byteRange
        mediaSequence = UInt64(clamping: listed.mediaSequence)
        duration = listed.duration
        isDiscontinuity = listed.isDiscontinuity
        isGap = listed.isGap
        isInBreak = listed.isInBreak
        programDateTime = listed.programDateTimeMilliseconds
        statesDate = listed.statesDate
    }
}

extension Presentation.Initialization {
    fileprivate init(
        _ section: InitializationSection, before segment: MediaSegment, playlistAt address: InputAddress
    ) throws(InputError) {
        self.init(
            name: section.uri, address: try address.resolving(section.uri), byteRange: section.byteRange,
            encryption: try Presentation.Encryption(section.key, of: segment, playlistAt: address))
    }
}

extension Presentation.Encryption {
    /// Creates the decryption parameters, or returns nil if the container is not encrypted.
    ///
    /// SAMPLE-AES encrypts only video and audio, and leaves the container, timed metadata and event messages unchanged
    /// (Apple, *MPEG-2 Stream Encryption Format for HTTP Live Streaming*; RFC 8216, 4.3.2.4).
    fileprivate init?(
        _ key: EncryptionKey?, of segment: MediaSegment, playlistAt address: InputAddress
    ) throws(InputError) {
        guard let key else { return nil }
        let vector = key.initializationVector(mediaSequence: segment.mediaSequence)
        switch key.method {
        case .sampleAES, .sampleAESCTR: return nil
        case .aes128 where key.isIdentity:
            guard let uri = key.uri else { throw .encrypted(segment.uri, method: "AES-128 without a key") }
            self.init(method: "AES-128", keyAddress: try address.resolving(uri), initializationVector: vector)
            isVectorStated = key.statedInitializationVector != nil
        case .aes128:
            let format = Self.shortened(key.keyFormat)
            self.init(method: "AES-128 (\(format))", keyAddress: nil, initializationVector: vector)
        case .other(let name):
            self.init(method: Self.shortened(name), keyAddress: nil, initializationVector: vector)
        }
    }

    /// Returns the first bytes of a name, which each segment that cannot be decrypted reports.
    private static func shortened(_ name: String) -> String {
        name.utf8.count <= maximumNameByteCount
            ? name : String(decoding: name.utf8.prefix(maximumNameByteCount), as: UTF8.self) + "…"
    }

    private static let maximumNameByteCount = 128
}
