/// A line-by-line parser for a multivariant playlist (RFC 8216, 4.3.4).
struct MultivariantPlaylistParser {
    private var context: ParsingContext
    private var playlist = MultivariantPlaylist()

    /// The attributes and position of an EXT-X-STREAM-INF whose URI has not been read yet.
    private var pending: (attributes: AttributeList, value: Range<Int>)?

    init(context: ParsingContext) { self.context = context }

    mutating func parse(_ bytes: Span<UInt8>) -> MultivariantPlaylist {
        var statements = PlaylistStatements(of: bytes)
        while let statement = statements.next(in: bytes, &context) {
            switch statement {
            case .tag(let tag, let value): read(tag, value, in: bytes)
            case .uri(let line): readURI(line, in: bytes)
            }
        }
        if let pending { context.report(.missingURI, pending.value, in: bytes) }
        playlist.version = context.version
        playlist.variables = context.variables
        playlist.problems = context.problems
        return playlist
    }

    private mutating func read(_ tag: PlaylistTag, _ value: Range<Int>, in bytes: Span<UInt8>) {
        switch tag {
        case .header: break
        case .version: context.readVersion(value, in: bytes)
        case .define: context.readDefinition(value, in: bytes)
        case .streamInformation:
            if pending != nil { context.report(.missingURI, value, in: bytes) }
            pending = (context.attributes(value, in: bytes), value)
        case .iFrameStreamInformation:
            guard
                context.hasRoom(for: .iFrameVariants, after: playlist.iFrameVariants.count, value, in: bytes)
            else { return }
            let list = context.attributes(value, in: bytes)
            guard let uri = context.uri(of: list, in: bytes) else {
                return context.report(.missingAttribute, value, in: bytes)
            }
            playlist.iFrameVariants.append(variant(uri, list, value, in: bytes))
        case .media: readRendition(value, in: bytes)
        case .sessionData: readSessionData(value, in: bytes)
        case .sessionKey:
            guard context.hasRoom(for: .sessionKeys, after: playlist.sessionKeys.count, value, in: bytes)
            else { return }
            if case .key(let key) = KeyDeclaration(value, in: bytes, context: &context) {
                playlist.sessionKeys.append(key)
            }
        case .segment: context.report(.mixedKinds, value, in: bytes)
        default: context.report(.misplacedTag, value, in: bytes)
        }
    }

    private mutating func readURI(_ line: Range<Int>, in bytes: Span<UInt8>) {
        guard let (list, value) = pending else {
            // A URI without a preceding tag does not define a variant.
            return context.report(.missingAttribute, line, in: bytes)
        }
        pending = nil
        guard context.hasRoom(for: .variants, after: playlist.variants.count, line, in: bytes) else { return }
        let uri = context.uri(line, in: bytes)
        playlist.variants.append(variant(uri, list, value, in: bytes))
    }

    private mutating func variant(
        _ uri: String, _ list: AttributeList, _ value: Range<Int>, in bytes: Span<UInt8>
    ) -> VariantStream {
        if list.range(of: "BANDWIDTH", in: bytes) == nil {
            context.report(.missingAttribute, value, in: bytes)
        }
        let codecs = context.text("CODECS", of: list, in: bytes) ?? ""
        return VariantStream(
            uri: uri,
            bandwidth: context.integer("BANDWIDTH", of: list, in: bytes),
            averageBandwidth: context.integer("AVERAGE-BANDWIDTH", of: list, in: bytes),
            codecs: codecs.split(separator: ",").map { String($0.drop { $0 == " " }) },
            resolution: resolution(list, in: bytes),
            frameRate: context.number("FRAME-RATE", of: list, in: bytes),
            audioGroupID: context.text("AUDIO", of: list, in: bytes),
            videoGroupID: context.text("VIDEO", of: list, in: bytes),
            subtitlesGroupID: context.text("SUBTITLES", of: list, in: bytes),
            name: context.text("NAME", of: list, in: bytes))
    }

    private mutating func resolution(
        _ list: AttributeList, in bytes: Span<UInt8>
    ) -> VariantStream.Resolution? {
        guard let range = list.range(of: "RESOLUTION", in: bytes) else { return nil }
        guard let times = bytes.firstIndex(of: 0x78, in: range) ?? bytes.firstIndex(of: 0x58, in: range),
            let width = bytes.decimalInteger(in: range.lowerBound..<times),
            let height = bytes.decimalInteger(in: times + 1..<range.upperBound)
        else {
            context.report(.unreadableAttribute, range, in: bytes)
            return nil
        }
        return VariantStream.Resolution(width: width, height: height)
    }

    private mutating func readRendition(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard context.hasRoom(for: .renditions, after: playlist.renditions.count, value, in: bytes) else {
            return
        }
        let list = context.attributes(value, in: bytes)
        guard let type = list.range(of: "TYPE", in: bytes),
            let group = context.text("GROUP-ID", of: list, in: bytes)
        else { return context.report(.missingAttribute, value, in: bytes) }
        guard let kind = Rendition.Kind(rawValue: context.decoded(type, in: bytes)) else {
            return context.report(.unreadableAttribute, type, in: bytes)
        }
        let name = context.text("NAME", of: list, in: bytes)
        if name == nil { context.report(.missingAttribute, value, in: bytes) }
        let isDefault = list.isYes("DEFAULT", in: bytes)
        playlist.renditions.append(
            Rendition(
                kind: kind, groupID: group, name: name ?? "",
                uri: context.uri(of: list, in: bytes),
                language: context.text("LANGUAGE", of: list, in: bytes),
                isDefault: isDefault,
                isAutoselected: isDefault || list.isYes("AUTOSELECT", in: bytes),
                channels: context.text("CHANNELS", of: list, in: bytes)))
    }

    private mutating func readSessionData(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard context.hasRoom(for: .sessionData, after: playlist.sessionData.count, value, in: bytes) else {
            return
        }
        let list = context.attributes(value, in: bytes)
        guard let id = context.text("DATA-ID", of: list, in: bytes) else {
            return context.report(.missingAttribute, value, in: bytes)
        }
        playlist.sessionData.append(
            SessionData(
                id: id, value: context.text("VALUE", of: list, in: bytes),
                uri: context.uri(of: list, in: bytes),
                language: context.text("LANGUAGE", of: list, in: bytes)))
    }
}
