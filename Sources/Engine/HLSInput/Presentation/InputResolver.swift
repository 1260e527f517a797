import Glibc
import HLSPlaylist
import HTTPTransfer
import HostSystem

/// Detects the type of an input from its content, and lists the media in it.
public struct InputResolver: Sendable {
    private var fetcher: ResourceFetcher
    private let choice: RenditionChoice
    private let allowsPrivateAddresses: Bool

    /// The file descriptor of standard input.
    var standardInput: Int32 = STDIN_FILENO

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - choice: The renditions to read from a multivariant playlist.
    ///   - allowsPrivateAddresses: Whether a playlist at a public address may reference private addresses.
    public init(
        fetcher: ResourceFetcher, choice: RenditionChoice = .lowest, allowsPrivateAddresses: Bool = false
    ) {
        self.fetcher = fetcher
        self.choice = choice
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }

    /// Returns the presentation in an input.
    ///
    /// In a directory, it is the presentation of the playlist there, the multivariant one if there is one. A directory
    /// without a playlist is a rendition of all its files.
    ///
    /// - Parameter source: A path, an `http` or `https` address, or `-` for standard input.
    /// - Throws: `InputError` if no part of the input can be read.
    public func resolve(_ source: String) async throws(InputError) -> Presentation {
        let resolver = withCookies()
        var presentation = try await fetcher.onThread { () async throws(InputError) in
            try await resolver.presentation(of: source)
        }
        presentation.cookies = resolver.fetcher.cookies
        return presentation
    }

    /// Returns the resolver with an empty jar for the cookies of one input.
    private func withCookies() -> InputResolver {
        var resolver = self
        resolver.fetcher.cookies = CookieJar()
        return resolver
    }

    /// Returns the presentation in an operand, or of all operands that are segments of one folder.
    ///
    /// The segments of a folder are read in the order in which the folder would be, whatever their order was.
    package func resolve(_ operand: InputOperand) async throws(InputError) -> Presentation {
        guard !operand.segments.isEmpty else { return try await resolve(operand.source) }
        let segments = operand.segments.map { Presentation.Segment(inFolder: InputAddress(argument: $0)) }
        return await fetcher.onThread {
            Presentation(source: operand.source, segments: Presentation.ordered(segments))
        }
    }

    private func presentation(of source: String) async throws(InputError) -> Presentation {
        let address = InputAddress(argument: source)
        if case .path(let path) = address, case .directory = try InputFile.kind(of: path) {
            return try await directory(path, source: source)
        }
        let opened = try await open(address, policy: .any, isNamedByUser: true)
        if opened.bytes.isEmpty { throw .empty(source) }
        guard opened.isPlaylist else {
            var segment = Presentation.Segment(address: address, name: nil)
            segment.stream = opened.stream
            segment.isNamedByUser = true
            return Presentation(source: source, segments: [segment])
        }
        return try await presentation(of: opened.playlist(), at: opened, source: source)
    }

    /// Returns the presentation in a directory: that of its playlist, or else of all its files.
    private func directory(_ path: String, source: String) async throws(InputError) -> Presentation {
        let prefix = path.hasSuffix("/") ? path : path + "/"
        let names = try Self.fileNames(in: path)
        var playlists = DirectoryPlaylists()
        for name in names where DirectoryPlaylists.mayBePlaylist(name) {
            do throws(InputError) {
                let opened = try await open(.path(prefix + name), policy: .any, isNamedByUser: false)
                if opened.isPlaylist { try playlists.add(opened.playlist(), at: opened, named: name) }
            } catch {
                playlists.failures.append(error)
            }
        }
        let notes = playlists.failures.map(\.message)
        if let (playlist, opened) = try playlists.chosen(in: source) {
            var presentation = try await presentation(of: playlist, at: opened, source: opened.address.text)
            presentation.notes += notes
            if presentation.renditions.contains(where: \.isLive) {
                presentation.notes.append(
                    "\(source): only what the playlist lists is read; name the segments to read all")
            }
            return presentation
        }
        if names.isEmpty { throw try Self.emptiness(of: path, source) }
        var presentation = Presentation(
            source: source,
            segments: Presentation.ordered(
                names.map { Presentation.Segment(address: .path(prefix + $0), name: $0) }))
        presentation.notes += notes
        return presentation
    }

    private func presentation(
        of playlist: Playlist, at opened: OpenedInput, source: String
    ) async throws(InputError) -> Presentation {
        switch playlist {
        case .media(let playlist):
            var presentation = Presentation(source: source, renditions: [])
            try add(playlist, at: opened, uri: nil, audio: nil, to: &presentation)
            return presentation
        case .multivariant(let playlist):
            return try await presentation(of: playlist, at: opened, source: source)
        }
    }

    private func presentation(
        of multivariant: MultivariantPlaylist, at opened: OpenedInput, source: String
    ) async throws(InputError) -> Presentation {
        let index = RenditionIndex(multivariant)
        let uris = try index.uris(of: choice, in: source)
        var presentation = Presentation(source: source, renditions: [])
        presentation.record(multivariant.problems, of: source)
        var failure: InputError?
        for uri in uris {
            do throws(InputError) {
                let listed = try index.rendition(
                    uri, at: opened, allowsPrivateAddresses: allowsPrivateAddresses)
                let media = try await open(listed.address, policy: listed.policy, isNamedByUser: false)
                let playlist = try media.mediaPlaylist(importing: listed.variables)
                try add(playlist, at: media, uri: uri, audio: listed.audio, to: &presentation)
            } catch {
                failure = error
                presentation.unreadRenditionCount += 1
                presentation.notes.append(error.message)
            }
        }
        if presentation.renditions.isEmpty, let failure { throw failure }
        return presentation
    }

    private func add(
        _ playlist: MediaPlaylist, at opened: OpenedInput, uri: String?, audio: String?,
        to presentation: inout Presentation
    ) throws(InputError) {
        if playlist.segments.isEmpty {
            throw .damagedPlaylist(opened.address.text, reason: "lists no segment")
        }
        presentation.renditions.append(
            .init(
                uri: uri, audioURI: audio,
                segments: .init(ListedSegments(playlist.segments, at: opened.address)),
                addressPolicy: opened.origin.policyForReferences(
                    allowsPrivateAddresses: allowsPrivateAddresses),
                isLive: playlist.isLive))
        let name = uri ?? presentation.source
        if playlist.isLive {
            presentation.notes.append("\(name): is a live playlist; its current window is read once")
        }
        if let method = playlist.sampleEncryption {
            presentation.notes.append(
                "\(name): video and audio are encrypted with \(method); unencrypted tags are read"
            )
        }
        presentation.record(playlist.problems, of: name)
    }

    private func open(
        _ address: InputAddress, policy: AddressPolicy, isNamedByUser: Bool
    ) async throws(InputError) -> OpenedInput {
        try await OpenedInput.open(
            address, standardInput: standardInput, fetcher: fetcher, policy: policy,
            isNamedByUser: isNamedByUser)
    }
}

extension Presentation.Segment {
    /// Creates a segment that the user named together with others of its folder.
    fileprivate init(inFolder address: InputAddress) {
        let place =
            if case .network(let text) = address {
                InputAddress.segmentPlace(of: text)
            } else {
                InputAddress.segmentPlace(ofPath: address.text)
            }
        self.init(address: address, name: place?.name ?? address.text)
        isNamedByUser = true
    }
}

extension Presentation {
    /// Creates a presentation of segments without a playlist.
    fileprivate init(source: String, segments: [Segment]) {
        let rendition = Rendition(uri: nil, segments: .init(segments), addressPolicy: .any)
        self.init(source: source, renditions: [rendition])
    }

    fileprivate mutating func record(_ problems: PlaylistProblems, of name: String) {
        for limit in problems.exceededLimits {
            notes.append("\(name): has more than \(limit.maximum) \(limit.rawValue); the rest is ignored")
        }
        guard let problem = problems.first.first else { return }
        let others = problems.count > 1 ? ", and \(problems.count - 1) more" : ""
        notes.append("\(name):\(problem.line): \(problem.rule.rawValue): \(problem.text)\(others)")
    }
}

extension MediaPlaylist {
    /// The method that encrypts samples but not the container, or nil if there is none.
    fileprivate var sampleEncryption: String? {
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
