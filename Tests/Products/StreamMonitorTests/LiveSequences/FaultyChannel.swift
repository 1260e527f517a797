import ByteReading
import TestSupport
import TextForms

@testable import StreamSynthesis

/// A channel whose server has faults of real servers, from a seed: its playlists, and what can be fetched when.
///
/// All answers follow from the time, so that the channel knows from when to when each segment was listed and could be
/// fetched.
struct FaultyChannel {
    enum Fault: CaseIterable {
        // The origin: at most one of these.
        case staleSession, refusedSession, oldEdge, deadVariant
        // Resources that come later, for a time not at all, or under another name.
        case lateSegments, growingSegments, lateKeys, lateMaps, movingMaps, changingMaps
        case advertisements, lowerNumbers, rotatingTokens, cookies, blanks, gzip, frozenCounters, outage,
            pause
    }

    private static let statuses = [
        "400 Bad", "403 No", "404 No", "404 No", "404 No", "410 Gone", "425 Early", "500 No", "502 No",
        "503 No",
        "504 No",
    ]
    /// The numbers of segments between two keys, and between two names of a map.
    private static let keySpan = 4
    private static let mapSpan = 7
    /// The seconds that a token or cookie is current; it is accepted for twice as long.
    private static let tokenSeconds = 12.0

    let number: Int
    let faults: Set<Fault>
    let container: SynthesisSettings.Container
    private let seed: UInt64
    private let segmentSeconds: Double
    private let windowSeconds: Double
    /// The times at which the origin changes, the numbers restart, or the playlist fails.
    private let faultTimes: [Double]
    private let hasDates: Bool
    private let hasTablesInMap: Bool
    private let restartsInFolder: Bool
    private let firstNumber: Int

    // The state at `time`.
    private(set) var time = 0.0
    /// The listed segments, by the number in the names of the station.
    private var window = 0...0
    private var firstListed: [Int: Double] = [:]
    /// The first segments of the parts with numbers of their own.
    private var restarts: [Int] = []
    private var frozenWindows: [ClosedRange<Int>] = []
    /// The seconds that each segment can be fetched without a pause, and the longest such time.
    private var availableSeconds: [Int: Double] = [:]
    private(set) var longestSeconds: [Int: Double] = [:]
    /// The last times at which segments were answered completely.
    private(set) var served: [Int: Double] = [:]
    var requests: [String] = []

    init(seed: UInt64, number: Int, settings: LiveSettings) {
        var random = SplitMix64(seed: seed, stream: 0x4641_554C, index: UInt64(number))
        var faults = Set(Fault.allCases.shuffled(using: &random).prefix(.random(in: 1...5, using: &random)))
        let origins: [Fault] = [.staleSession, .refusedSession, .oldEdge, .deadVariant]
        for extra in origins.filter(faults.contains).dropFirst() { faults.remove(extra) }
        // Without dates, a new token and a restart at numbers that overlap look the same.
        if faults.contains(.rotatingTokens) { faults.remove(.lowerNumbers) }
        // A segment that is late would need the map of its time.
        if faults.contains(.changingMaps) { faults.subtract([.lateSegments, .lateKeys, .lateMaps]) }
        if settings.container != .transportStream {
            faults.subtract([.advertisements, .changingMaps, .frozenCounters])
        }
        self.number = number
        container = settings.container
        self.seed = random.next()
        segmentSeconds = settings.segmentDuration
        windowSeconds = settings.segmentDuration * Double(settings.windowSegmentCount)
        let first = Double.random(in: 5...40, using: &random)
        faultTimes = [first, first + .random(in: 35...50, using: &random)]
        let hasDates = Bool.random(using: &random)
        // After a pause, a restart may be first seen at the numbers of the last one.
        if faults.contains(.lowerNumbers), !hasDates { faults.remove(.pause) }
        self.hasDates = hasDates
        self.faults = faults
        hasTablesInMap =
            settings.container == .transportStream
            && (!faults.isDisjoint(with: [.lateMaps, .movingMaps, .changingMaps])
                || faults.contains(.advertisements) && Bool.random(using: &random))
        restartsInFolder = Bool.random(using: &random)
        let firstNumber = [1, 900, 995, 1_003, 100_000].randomElement(using: &random) ?? 1
        // Without dates, a restart at listed numbers looks like a new token.
        self.firstNumber = firstNumber == 1_003 && !hasDates ? 995 : firstNumber
    }

    /// A random generator for one of the channel's resources.
    private func random(_ fault: Fault, _ index: Int) -> SplitMix64 {
        let stream = UInt64(Fault.allCases.firstIndex(of: fault) ?? 0)
        return SplitMix64(seed: seed, stream: stream, index: UInt64(bitPattern: Int64(index)))
    }

    var description: String {
        "faulty\(number) (\(container), \(faults.map { "\($0)" }.sorted().joined(separator: " ")))"
    }

    private var targetSeconds: Double { (segmentSeconds).rounded() }

    /// The time after which an available tag must not be lost.
    ///
    /// A change of the origin is noticed after one and a half target durations without a new segment, or after two
    /// segments that failed, and takes effect with the next load.
    var graceSeconds: Double {
        if faults.contains(.pause) { return 36 + targetSeconds }
        let origins: Set<Fault> = [.staleSession, .refusedSession, .oldEdge, .deadVariant]
        return (faults.isDisjoint(with: origins) ? 1 : 4) * targetSeconds + 1
    }

    // MARK: Time

    /// Advances to a time at which the station lists these segments.
    mutating func advance(to time: Double, listing segments: ClosedRange<Int>) {
        let step = time - self.time
        let past = faultTimes.count { $0 <= self.time }
        self.time = time
        for _ in past..<faultTimes.count(where: { $0 <= time }) {
            frozenWindows.append(window)
            if faults.contains(.lowerNumbers) { restarts.append(segments.upperBound) }
        }
        window = max(segments.lowerBound, restarts.last ?? 0)...segments.upperBound
        for segment in window where firstListed[segment] == nil { firstListed[segment] = time }
        let isListed = !isOut && !hasEnded
        for segment in window {
            let isAvailable = isListed && isAvailable(segment)
            availableSeconds[segment] = isAvailable ? (availableSeconds[segment] ?? -step) + step : nil
            longestSeconds[segment] = max(longestSeconds[segment] ?? 0, availableSeconds[segment] ?? 0)
        }
    }

    /// The current origin: the number of changes before now.
    private var origin: Int { min(frozenWindows.count, faultTimes.count) }

    private var isOut: Bool { faults.contains(.outage) && isInFault(.outage, for: 8) }
    private var hasEnded: Bool { faults.contains(.pause) && isInFault(.pause, for: 20) }

    private func isInFault(_ fault: Fault, for maximum: Double) -> Bool {
        faultTimes.contains {
            var random = random(fault, Int($0))
            return $0 <= time && time < $0 + .random(in: 1...maximum, using: &random)
        }
    }

    // MARK: Resources

    /// Whether a resource is late now.
    private func isLate(_ fault: Fault, _ index: Int, since first: Double?, probability: Double) -> Bool {
        var random = random(fault, index)
        guard faults.contains(fault), Double.random(in: 0..<1, using: &random) < probability else {
            return false
        }
        let isLong = Int.random(in: 0..<4, using: &random) == 0
        let delay = Double.random(in: 0.5...(isLong ? windowSeconds : 2 * targetSeconds), using: &random)
        return time < (first ?? time) + delay
    }

    private func status(_ fault: Fault, _ index: Int) -> String {
        var random = random(fault, index &+ 1 << 32)
        return Self.statuses.randomElement(using: &random) ?? "404 No"
    }

    private func isAvailable(_ segment: Int) -> Bool {
        if isLate(.lateSegments, segment, since: firstListed[segment], probability: 0.4) { return false }
        if part(of: segment) < 1 { return false }
        if isEncrypted, isKeyLate(segment / Self.keySpan) { return false }
        guard hasMap, !isAdvertisement(segment) else { return true }
        return !isMapLate(mapIndex(of: segment)) && variant(of: segment) == variant
    }

    /// The written part of a segment.
    private func part(of segment: Int) -> Double {
        var random = random(.growingSegments, segment)
        guard faults.contains(.growingSegments), Bool.random(using: &random), let first = firstListed[segment]
        else { return 1 }
        // The encoder writes in real time, and the end at once: that only packets after the last frame are missing
        // cannot be seen.
        let part = Double.random(in: 0.1...0.9, using: &random) + (time - first) / segmentSeconds
        return part > 0.95 ? 1 : part
    }

    private var isEncrypted: Bool { faults.contains(.lateKeys) }
    private var hasMap: Bool { hasTablesInMap || container != .transportStream }

    private func isKeyLate(_ index: Int) -> Bool {
        let first = (index * Self.keySpan..<(index + 1) * Self.keySpan).lazy.compactMap { firstListed[$0] }
            .first
        return isLate(.lateKeys, index, since: first, probability: 0.7)
    }

    /// The number in the name of the map of a segment.
    private func mapIndex(of segment: Int) -> Int {
        faults.contains(.movingMaps) || faults.contains(.lateMaps) ? segment / Self.mapSpan : 0
    }

    private func isMapLate(_ index: Int) -> Bool {
        let first = (index * Self.mapSpan..<(index + 1) * Self.mapSpan).lazy.compactMap { firstListed[$0] }
            .first
        return isLate(.lateMaps, index, since: first, probability: 0.7)
    }

    /// The number of changes of the map's content before a segment, and before now.
    private func variant(of segment: Int) -> Int {
        faults.contains(.changingMaps) ? frozenWindows.count { $0.upperBound < segment } : 0
    }
    private var variant: Int { faults.contains(.changingMaps) ? variant(of: window.upperBound) : 0 }

    /// Whether a segment is an advertisement, which has its own tables and no tags.
    func isAdvertisement(_ segment: Int) -> Bool {
        faults.contains(.advertisements) && (segment / 3) % 4 == 2
    }

    private func isDiscontinuous(_ segment: Int) -> Bool {
        isAdvertisement(segment) != isAdvertisement(segment - 1)
            || variant(of: segment) != variant(of: segment - 1)
    }

    // MARK: Answers

    private var folder: String { "/faulty\(number)" }
    private var token: Int { Int(time / Self.tokenSeconds) }

    /// Returns the response to a request; `content` returns a file of the station.
    mutating func answer(
        _ target: String, header: String, content: (String) -> [UInt8]
    ) -> [LoopbackServer.Step] {
        let steps = steps(target, header: header, content: content)
        requests.append("\(time) \(target) \(steps.status)")
        return steps.steps
    }

    private mutating func steps(
        _ target: String, header: String, content: (String) -> [UInt8]
    ) -> (status: String, steps: [LoopbackServer.Step]) {
        let parts = target.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? String(parts[1]) : ""
        let path = parts[0].split(separator: "/").map(String.init)
        guard let file = path.last else { return failure("404 No") }
        if path == [String(folder.dropFirst()), "index.m3u8"] { return entry }
        guard path.count > 2, let place = Int(path[1].drop { $0.isLetter }) else { return failure("404 No") }
        if file == "index.m3u8" { return playlist(of: place) }
        if faults.contains(.refusedSession), place < origin { return failure("403 No") }
        if faults.contains(.deadVariant), place != origin % 2 { return failure(deadStatus) }
        guard isAuthorized(query, header) else { return failure("403 No") }
        guard let index = Int(file.drop { !$0.isNumber }.prefix { $0.isNumber }) else {
            return failure("404 No")
        }
        if file.hasPrefix("key") {
            return isKeyLate(index) ? failure(status(.lateKeys, index)) : answer(key(index))
        }
        if file.hasPrefix("map") {
            if isMapLate(index) { return failure(status(.lateMaps, index)) }
            return answer(map(content))
        }
        let restart = restartsInFolder ? path[2] : query
        let run =
            restart.contains("run")
            ? Int(String(restart.drop { !$0.isNumber }.prefix { $0.isNumber })) ?? 0 : 0
        let segment = run == 0 || run > restarts.count ? index : restarts[run - 1] + index - firstNumber
        guard let listed = firstListed[segment] else { return failure("404 No") }
        if isLate(.lateSegments, segment, since: listed, probability: 0.4) {
            return failure(status(.lateSegments, segment))
        }
        return answer(self.content(of: segment, content))
    }

    private var entry: (status: String, steps: [LoopbackServer.Step]) {
        if faults.contains(.oldEdge) {
            return (
                "302",
                [TestSupport.response("302 Found", headers: ["Location: \(folder)/e\(origin)/index.m3u8"])]
            )
        }
        if faults.isDisjoint(with: [.staleSession, .refusedSession, .deadVariant]) { return playlist(of: 0) }
        let places = faults.contains(.deadVariant) ? [0, 1] : [origin]
        let lines = places.flatMap {
            ["#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS=\"mp4a.40.2\"", "s\($0)/index.m3u8"]
        }
        return text(["#EXTM3U"] + lines)
    }

    private var deadStatus: String { status(.deadVariant, origin) }

    private func playlist(of place: Int) -> (status: String, steps: [LoopbackServer.Step]) {
        if faults.contains(.deadVariant), place != origin % 2 { return failure(deadStatus) }
        if isOut {
            var random = random(.outage, origin)
            return Bool.random(using: &random)
                ? failure(status(.outage, origin))
                : answer(Array("<!DOCTYPE html><title>Sign in</title>".utf8))
        }
        let isOld = !faults.isDisjoint(with: [.staleSession, .oldEdge]) && place < origin
        return text(lines(isOld ? frozenWindows[place] : window, place: place))
    }

    private func lines(_ segments: ClosedRange<Int>, place: Int) -> [String] {
        let run = restarts.count { $0 <= segments.upperBound }
        let shift = run == 0 ? 0 : firstNumber - restarts[run - 1]
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-TARGETDURATION:\(Int(targetSeconds))",
            "#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound + shift)",
        ]
        var media = faults.contains(.blanks) ? "my media" : "media"
        var query = faults.contains(.rotatingTokens) ? "token=\(token)" : ""
        if run > 0, restartsInFolder { media = "run\(run)" }
        if run > 0, !restartsInFolder { query = "run=\(run)" }
        let base = "\(folder)/s\(place)/\(media)/"
        query = query.isEmpty ? "" : "?" + query
        let fileExtension = container == .transportStream ? "ts" : "m4s"
        var (key, map) = (-1, -1)
        for segment in segments {
            if isDiscontinuous(segment) { lines.append("#EXT-X-DISCONTINUITY") }
            if hasMap, mapIndex(of: segment) != map {
                map = mapIndex(of: segment)
                // The key in force would apply to the map, although it changes while the map stays.
                if isEncrypted { lines.append("#EXT-X-KEY:METHOD=NONE") }
                key = -1
                lines.append("#EXT-X-MAP:URI=\"\(base)map\(map).\(fileExtension)\(query)\"")
            }
            if isEncrypted, segment / Self.keySpan != key {
                key = segment / Self.keySpan
                lines.append(
                    "#EXT-X-KEY:METHOD=AES-128,URI=\"\(base)key\(key).bin\(query)\",IV=0x\(Self.vectorText)")
            }
            if hasDates {
                let date = RFC3339.text(unixMilliseconds: Int64(Double(segment) * segmentSeconds * 1_000))
                lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)")
            }
            lines.append("#EXTINF:\(segmentSeconds),")
            lines.append("\(base)seg\(segment + shift).\(fileExtension)\(query)")
        }
        if hasEnded { lines.append("#EXT-X-ENDLIST") }
        return lines
    }

    private func isAuthorized(_ query: String, _ header: String) -> Bool {
        let accepted = [token, token - 1]
        if faults.contains(.rotatingTokens), !accepted.contains(where: { query == "token=\($0)" }) {
            return false
        }
        return !faults.contains(.cookies) || accepted.contains { header.contains("sid=\($0)x") }
    }

    // MARK: Bytes

    private static let vector = [UInt8](repeating: 7, count: 16)
    private static let vectorText = String(repeating: "07", count: 16)

    private func key(_ index: Int) -> [UInt8] {
        var random = random(.lateKeys, index &- 1 << 32)
        return random.bytes(16)
    }

    private func map(_ content: (String) -> [UInt8]) -> [UInt8] {
        if container != .transportStream { return content("init.mp4") }
        return TransportPackets(content("seg\(window.upperBound).ts")).tables(variant: variant)
    }

    private mutating func content(of segment: Int, _ content: (String) -> [UInt8]) -> [UInt8] {
        let isTransport = container == .transportStream
        var bytes = content("seg\(segment).\(isTransport ? "ts" : "m4s")")
        if isTransport {
            var packets = TransportPackets(bytes)
            if isAdvertisement(segment) {
                packets.removeTags()
                packets.renumber(variant: 9)
            } else {
                packets.renumber(variant: variant(of: segment))
                if hasTablesInMap { packets.removeTables() }
            }
            if faults.contains(.frozenCounters) { packets.freezeCounters() }
            bytes = packets.bytes
        }
        bytes = encrypted(bytes, for: segment)
        let part = part(of: segment)
        if part >= 1 {
            served[segment] = time
            return bytes
        }
        var random = random(.growingSegments, segment &+ 1 << 32)
        let count = Int(part * Double(bytes.count))
        return Array(bytes.prefix(Bool.random(using: &random) ? count : count / 188 * 188))
    }

    private func encrypted(_ bytes: [UInt8], for segment: Int) -> [UInt8] {
        guard isEncrypted else { return bytes }
        do {
            return try LiveChannel.encrypt(bytes, key: key(segment / Self.keySpan), vector: Self.vector)
        } catch {
            return []
        }
    }

    private func failure(_ status: String) -> (status: String, steps: [LoopbackServer.Step]) {
        (status, [TestSupport.response(status)])
    }

    private func text(_ lines: [String]) -> (status: String, steps: [LoopbackServer.Step]) {
        answer(Array((lines.joined(separator: "\n") + "\n").utf8), isPlaylist: true)
    }

    private func answer(
        _ bytes: [UInt8], isPlaylist: Bool = false
    ) -> (status: String, steps: [LoopbackServer.Step]) {
        var fields = ["HTTP/1.1 200 OK"]
        var body = bytes
        if faults.contains(.gzip), let packed = try? Deflation.deflate(bytes.span, .gzip) {
            fields.append("Content-Encoding: gzip")
            body = packed
        }
        if faults.contains(.cookies), isPlaylist { fields.append("Set-Cookie: sid=\(token)x; Path=/") }
        fields.append("Content-Length: \(body.count)")
        return ("200", [.send(fields.joined(separator: "\r\n") + "\r\n\r\n"), .sendBytes(body)])
    }
}
