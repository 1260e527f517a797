import HLSPlaylist

/// The segments of a media playlist, each with its references resolved when it is asked for.
struct ListedSegments: Sendable {
    private let segments: [MediaSegment]
    private let address: InputAddress
    /// The segments whose initialization segment is another than that of the segment before, in order.
    private let sectionStarts: [Int]

    /// The segments of a playlist at an address.
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

    /// A segment; one whose references cannot be resolved says so when it is read.
    subscript(index: Int) -> Presentation.Segment {
        let listed = segments[index]
        var segment = Presentation.Segment(listed)
        do throws(InputError) {
            segment.address = try address.resolving(listed.uri)
            segment.initialization = try initialization(of: index)
            segment.encryption = try Presentation.Encryption(listed.key, of: listed, playlistAt: address)
        } catch {
            segment.unreadable = error
        }
        return segment
    }

    /// The section that a segment needs; where it cannot be resolved the first segment that needs it says so.
    ///
    /// One section serves many segments; where it states no IV, it has that of the first of them.
    private func initialization(of index: Int) throws(InputError) -> Presentation.Initialization? {
        guard let section = segments[index].map else { return nil }
        let first = sectionStart(of: index)
        do throws(InputError) {
            return try Presentation.Initialization(section, before: segments[first], playlistAt: address)
        } catch {
            if index == first { throw error }
            return nil
        }
    }

    /// The first of the segments that need the same section as this one.
    private func sectionStart(of index: Int) -> Int {
        var low = 0
        var high = sectionStarts.count
        while low < high {
            let middle = (low + high) / 2
            if sectionStarts[middle] <= index { low = middle + 1 } else { high = middle }
        }
        // A segment that needs a section is at or after the start of a run of such segments.
        return low > 0 ? sectionStarts[low - 1] : index
    }
}

extension Presentation.Segment {
    /// What a playlist says of a segment but its references.
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
    /// What must be undone before the container can be read; nil where that is nothing.
    ///
    /// SAMPLE-AES encrypts pictures and sound inside a container that stays as it is, timed metadata and event
    /// messages included (Apple, *MPEG-2 Stream Encryption Format for HTTP Live Streaming*; RFC 8216, 4.3.2.4).
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
        case .aes128:
            self.init(method: "AES-128 (\(key.keyFormat))", keyAddress: nil, initializationVector: vector)
        case .other(let name): self.init(method: name, keyAddress: nil, initializationVector: vector)
        }
    }
}
