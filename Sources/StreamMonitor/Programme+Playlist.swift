import HLSPlaylist

extension Programme {
    /// The segments of a media playlist; one whose references cannot be resolved says so when it is read.
    static func segments(of playlist: MediaPlaylist, at address: InputAddress) -> [Segment] {
        var segments: [Segment] = []
        segments.reserveCapacity(playlist.segments.count)
        var map: InitializationSection?
        var initialization: Initialization?
        for listed in playlist.segments {
            var segment = Segment(listed)
            do throws(InputError) {
                segment.address = try address.resolving(listed.uri)
                // One section serves many segments; where it states no IV, it has that of the first of them.
                if listed.map != map {
                    map = listed.map
                    initialization = nil
                    initialization = try map.map { (map) throws(InputError) in
                        try Initialization(map, before: listed, playlistAt: address)
                    }
                }
                segment.encryption = try Encryption(listed.key, of: listed, playlistAt: address)
            } catch {
                segment.unreadable = error
            }
            segment.initialization = initialization
            segments.append(segment)
        }
        return segments
    }
}

extension MediaPlaylist {
    /// The way in which samples are encrypted while the container is not; nil where there is none.
    var sampleEncryption: String? {
        for segment in segments {
            switch segment.key?.method {
            case .sampleAES: return "SAMPLE-AES"
            case .sampleAESCTR: return "SAMPLE-AES-CTR"
            case .aes128, .other, nil: continue
            }
        }
        return nil
    }
}

extension Programme.Segment {
    /// What a playlist says of a segment but its references.
    fileprivate init(_ listed: MediaSegment) {
        self.init(address: .path(listed.uri), name: listed.uri)
        byteRange = listed.byteRange.map(Programme.ByteRange.init)
        mediaSequence = UInt64(clamping: listed.mediaSequence)
        duration = listed.duration
        isDiscontinuity = listed.isDiscontinuity
        isGap = listed.isGap
        programDateTime = listed.programDateTimeMilliseconds
    }
}

extension Programme.ByteRange {
    fileprivate init(_ range: HLSPlaylist.ByteRange) {
        self.init(offset: UInt64(clamping: range.offset), length: UInt64(clamping: range.length))
    }
}

extension Programme.Initialization {
    fileprivate init(
        _ section: InitializationSection, before segment: MediaSegment, playlistAt address: InputAddress
    ) throws(InputError) {
        self.init(
            address: try address.resolving(section.uri),
            byteRange: section.byteRange.map(Programme.ByteRange.init),
            encryption: try Programme.Encryption(section.key, of: segment, playlistAt: address))
    }
}

extension Programme.Encryption {
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
