import ByteReading
package import HTTPServing
import TextForms

/// Live channels with tags, as a pure function of time.
///
/// Playlists and segments are created on request, and equal requests at the same time receive equal responses.
///
/// Video and audio are encoded once, when the station is created. Each segment of each channel is a copy with its own
/// timestamps and tags, so that serving a thousand channels for an hour requires only copying.
package struct SyntheticOrigin: Sendable {
    private let settings: LiveSettings
    private let templates: [SegmentTemplate]

    /// The scheduled faults.
    package var script: LiveScript
    /// The start of the station in Unix milliseconds; its time counts from here.
    package var startTime: Int64

    /// Creates a station, and blocks while one segment per rendition is encoded.
    package init(
        _ settings: LiveSettings, script: LiveScript = .empty, startTime: Int64 = 1_795_176_000_000
    ) throws(SynthesisError) {
        var settings = settings
        for index in settings.renditions.indices { settings.renditions[index].container = settings.container }
        try settings.validate()
        self.settings = settings
        self.script = script
        self.startTime = startTime
        try openLibAV()
        var templates: [SegmentTemplate] = []
        for rendition in settings.renditions {
            let size = rendition.bitrate.map { Int(Int64($0) / 8 * settings.segmentMilliseconds / 1_000) }
            templates.append(
                try SegmentTemplate(
                    rendition, segmentTicks: settings.segmentTicks, minimumByteCount: size ?? 0))
        }
        self.templates = templates
    }

    /// A client request.
    package struct Request: Sendable, Hashable {
        /// The path of the requested address.
        var path: String
        /// The field If-None-Match.
        var ifNoneMatch: String?
        /// The field If-Modified-Since.
        var ifModifiedSince: String?

        /// Creates a request, by default without conditions.
        package init(_ path: String, ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
            self.path = path
            self.ifNoneMatch = ifNoneMatch
            self.ifModifiedSince = ifModifiedSince
        }
    }

    /// A response and its transfer rate.
    package struct Answer: Sendable, Hashable {
        /// The status, header fields and body.
        package var content: HTTPServerAnswer
        /// The transfer rate of the body in bytes per second, or nil for no limit.
        package var bytesPerSecond: Int?
    }

    /// The path of each channel's playlist, in order.
    package var paths: [String] { (1...settings.channelCount).map { "/ch\($0)/index.m3u8" } }

    /// Returns the response at a time after the start.
    package func answer(_ request: Request, at time: Duration) -> Answer {
        let time = max(0, Int64(time / .milliseconds(1)))
        guard let path = LivePath(request.path), (1...settings.channelCount).contains(path.channel) else {
            return .status(404)
        }
        let events = script.events.filter { $0.includes(channel: path.channel) }
        if path.file == .record {
            let channel = LiveChannel(settings, number: path.channel, events: events, startTime: startTime)
            return .record(channel.publications(at: time))
        }
        var answer = refusal(path, events, at: time) ?? content(path, events, at: time)
        if answer.isKnown(request) {
            answer.content.status = 304
            answer.content.body = []
        }
        for event in events where event.activeStart(at: time) != nil {
            if case .slowDrip(let rate, path.resource) = event.fault { answer.bytesPerSecond = rate }
        }
        return answer
    }

    /// Returns the response that replaces the requested content according to the script, or nil.
    private func refusal(_ path: LivePath, _ events: [LiveScript.Event], at time: Int64) -> Answer? {
        for event in events where event.activeStart(at: time) != nil {
            if case .status(let status, let resource) = event.fault,
                resource == nil || resource == path.resource
            {
                return .status(status)
            }
        }
        guard path.file == .playlist else { return nil }
        if let end = path.redirectEnd, time >= end { return .status(410) }
        let isOfSession = events.contains { $0.fault == .expiredSession } && path.rendition != nil
        if isOfSession, path.session != Self.session(events, at: time) { return .status(403) }
        guard path.redirectEnd == nil else { return nil }
        for event in events where event.activeStart(at: time) != nil {
            guard case .redirect(let lifetime) = event.fault else { continue }
            let place = lifetime.map { "until\(time + $0)" } ?? "moved"
            var folders = ["", "ch\(path.channel)", place]
            if let session = path.session { folders.append("session\(session)") }
            if let rendition = path.rendition { folders.append(rendition) }
            var answer = Answer.status(302)
            answer.content.fields.append(
                .init(name: "Location", value: folders.joined(separator: "/") + "/index.m3u8"))
            return answer
        }
        return nil
    }

    /// Returns the session that is valid at a time, counted from 1.
    private static func session(_ events: [LiveScript.Event], at time: Int64) -> Int64 {
        1 + events.filter { $0.fault == .expiredSession }.reduce(0) { $0 + $1.startCount(at: time) }
    }

    private func content(_ path: LivePath, _ events: [LiveScript.Event], at time: Int64) -> Answer {
        let channel = LiveChannel(settings, number: path.channel, events: events, startTime: startTime)
        let hasSessions = events.contains { $0.fault == .expiredSession }
        let hasVariants = hasSessions || settings.renditions.count > 1
        if hasVariants, path.rendition == nil, path.session == nil {
            guard path.file == .playlist else { return .status(404) }
            let folder = hasSessions ? "session\(Self.session(events, at: time))/" : ""
            return .playlist(
                PlaylistText.multivariant(listedRenditions, folder: folder), modified: startTime)
        }
        guard let index = renditionIndex(path, hasVariants) else { return .status(404) }
        let template = templates[index]
        switch path.file {
        case .playlist:
            let window = channel.window(at: channel.playlistTime(at: time))
            let text = channel.playlist(window, hasInitialization: template.initialization != nil)
            return .playlist(text, modified: channel.wallTime(of: window.upperBound + 1))
        case .initialization:
            guard let bytes = template.initialization else { return .status(404) }
            return .file(bytes, type: "video/mp4", tag: "\(startTime)-init", modified: startTime)
        case .record: return .status(404)
        case .key(let start):
            return .file(
                channel.key(start), type: "application/octet-stream", tag: "\(startTime)-key\(start)",
                modified: startTime)
        case .segment(let number, let fileExtension):
            let segment = number - Int64(settings.firstMediaSequence)
            // A segment remains available for one more window after it leaves the playlist (RFC 8216, section 6.2.2).
            let listed = channel.window(at: channel.playlistTime(at: time))
            let oldest = listed.upperBound - 2 * Int64(settings.windowSegmentCount)
            guard fileExtension == settings.container.fileExtension, segment >= max(0, oldest),
                segment <= channel.lastSegment(at: time)
            else { return .status(404) }
            do throws(SynthesisError) {
                let bytes = try channel.segment(segment, of: settings.renditions[index], from: template)
                return .file(
                    bytes, type: settings.container == .transportStream ? "video/mp2t" : "video/mp4",
                    tag: "\(startTime)-\(path.channel)-\(index)-\(number)",
                    modified: channel.wallTime(of: segment + 1))
            } catch {
                return .status(500)
            }
        }
    }

    private func renditionIndex(_ path: LivePath, _ hasVariants: Bool) -> Int? {
        guard hasVariants else { return path.rendition == nil && path.session == nil ? 0 : nil }
        return settings.renditions.firstIndex { $0.name == path.rendition }
    }

    /// The renditions as listed in the multivariant playlist.
    private var listedRenditions: [SynthesisSettings.Rendition] {
        zip(settings.renditions, templates).map { rendition, template in
            var rendition = rendition
            // The actual bit rate of the segments.
            let bits = template.byteCount * 8_000 / Int(settings.segmentMilliseconds)
            if let rate = rendition.video?.maximumBitrate {
                rendition.video?.maximumBitrate = max(rate, bits)
            }
            return rendition
        }
    }
}

extension SyntheticOrigin.Answer {
    fileprivate static func status(_ status: Int) -> Self {
        Self(content: HTTPServerAnswer(status: status, type: "text/plain", body: Array("\(status)\n".utf8)))
    }

    fileprivate static func record(_ lines: [UInt8]) -> Self {
        Self(content: HTTPServerAnswer(status: 200, type: "application/x-ndjson", body: lines))
    }

    fileprivate static func playlist(_ text: String, modified: Int64) -> Self {
        let bytes = Array(text.utf8)
        let tag = Hexadecimal.text(of: CRC32.of(bytes.span))
        return file(bytes, type: "application/vnd.apple.mpegurl", tag: tag, modified: modified)
    }

    fileprivate static func file(_ bytes: [UInt8], type: String, tag: String, modified: Int64) -> Self {
        Self(
            content: HTTPServerAnswer(
                status: 200, type: type,
                fields: [
                    .init(name: "ETag", value: "\"\(tag)\""),
                    .init(name: "Last-Modified", value: HTTPDate.text(unixSeconds: modified / 1_000)),
                ], body: bytes))
    }

    /// Returns whether the client's copy is current (RFC 9110, section 13.2.2).
    fileprivate func isKnown(_ request: SyntheticOrigin.Request) -> Bool {
        guard content.status == 200 else { return false }
        let value = { (name: String) in content.fields.first { $0.name == name }?.value }
        if let wanted = request.ifNoneMatch {
            return wanted == "*" || wanted.split(separator: ",").contains { $0.trimming() == value("ETag") }
        }
        return request.ifModifiedSince.map { $0 == value("Last-Modified") } ?? false
    }
}

extension Substring {
    /// Returns the entity tag without surrounding spaces and without the prefix of a weak tag.
    fileprivate func trimming() -> String {
        let text = drop { $0 == " " }
        let tag = text.hasPrefix("W/") ? text.dropFirst(2) : text
        return String(tag.prefix { $0 != " " })
    }
}

/// The parsed path of a live channel's resource.
///
///     /ch3/index.m3u8                    the playlist of the channel
///     /ch3/main/seg1000.ts               a segment, if a channel has several renditions
///     /ch3/session2/main/index.m3u8      a media playlist, if sessions expire
///     /ch3/moved/index.m3u8              the target of a redirect
///     /ch3/until45000/index.m3u8         the same, valid until 45,000 milliseconds after the start
///     /ch3/published.jsonl               the record of what the channel has published
struct LivePath {
    /// The channel's number, from 1.
    let channel: Int
    /// The end of validity of an address from a redirect, in milliseconds after the start, or nil without a redirect.
    var redirectEnd: Int64?
    /// The session number, from 1, or nil for none.
    var session: Int64?
    /// The folder of a rendition, or nil for none.
    var rendition: String?
    let file: File

    enum File: Hashable {
        case playlist
        case initialization
        /// A segment, with the number in its name.
        case segment(Int64, fileExtension: String)
        /// A key, with its start of validity.
        case key(Int64)
        /// The record of what the channel has published.
        case record
    }

    /// The kind of resource, as named in scripts.
    var resource: LiveFault.Resource { file == .playlist ? .playlist : .segment }

    /// Parses a path, or returns nil if it is invalid.
    init?(_ path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "", let last = parts.popLast(), let file = File(last),
            let channel = parts.popFirst().flatMap({ Self.number($0, after: "ch") })
        else { return nil }
        self.channel = Int(channel)
        self.file = file
        if file == .record, !parts.isEmpty { return nil }
        if parts.first == "moved" {
            redirectEnd = .max
            parts = parts.dropFirst()
        } else if let end = parts.first.flatMap({ Self.number($0, after: "until") }) {
            redirectEnd = end
            parts = parts.dropFirst()
        }
        if let number = parts.first.flatMap({ Self.number($0, after: "session") }) {
            session = number
            parts = parts.dropFirst()
        }
        rendition = parts.popFirst().map(String.init)
        if !parts.isEmpty { return nil }
    }

    /// Returns the number after `word` if it is in canonical form and small enough to prevent overflows.
    fileprivate static func number(_ text: Substring, after word: String) -> Int64? {
        guard text.hasPrefix(word), let number = Int64(text.dropFirst(word.count)),
            text == "\(word)\(number)", (0...1_000_000_000_000_000).contains(number)
        else { return nil }
        return number
    }
}

extension LivePath.File {
    fileprivate init?(_ name: Substring) {
        switch name {
        case "index.m3u8": self = .playlist
        case "init.mp4": self = .initialization
        case "published.jsonl": self = .record
        default:
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            if let number = LivePath.number(parts[0], after: "seg") {
                self = .segment(number, fileExtension: String(parts[1]))
            } else if parts[1] == "bin", let start = LivePath.number(parts[0], after: "key") {
                self = .key(start)
            } else {
                return nil
            }
        }
    }
}
