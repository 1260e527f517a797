import HostSystem
import ID3v2
import LibAVDemux
import SegmentDemux

extension Presentation {
    /// The number of bytes at the front of a segment that are searched for its first timestamp.
    private static let frontByteCount = 256 << 10

    /// The front of a segment.
    private struct Front {
        let segment: Segment
        var isInitialization = false
        /// The order of the containers; the timestamps of each may have another origin.
        var container = Int.max
        var time: MediaTimestamp?
        var wraps = false
    }

    /// Returns segments of a directory without a playlist, in natural order of their names, in the order of reading.
    ///
    /// Names in natural order decide if most of them are numbered series, such as `seg1` and `seg2`. Otherwise the
    /// names are hashes or titles, and the first timestamps decide. In either case, initialization segments come first.
    static func ordered(_ segments: [Segment]) -> [Segment] {
        var series: [String: Int] = [:]
        for segment in segments { series[pattern(of: segment.displayName), default: 0] += 1 }
        // All of them are one series, which is the usual case and needs no reading.
        guard segments.count > 1, series.count > 1 else { return segments }
        let isNumbered = segments.count >= 2 * series.count
        let fronts = segments.map { segment in
            // In a series of several, only a container with initialization segments may have one.
            let isAlone = series[pattern(of: segment.displayName)] == 1
            return isNumbered && !isAlone ? Front(segment: segment) : front(of: segment)
        }
        let initializations = fronts.filter(\.isInitialization).map(\.segment)
        let media = fronts.filter { !$0.isInitialization }
        return initializations + (isNumbered ? media.map(\.segment) : byTime(media))
    }

    /// Returns a name with `#` for each number, so that the names of a series are the same.
    private static func pattern(of name: String) -> String {
        var pattern: [UInt8] = []
        for byte in name.utf8 {
            let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            if isDigit, pattern.last == UInt8(ascii: "#") { continue }
            pattern.append(isDigit ? UInt8(ascii: "#") : byte)
        }
        return String(decoding: pattern, as: UTF8.self)
    }

    /// Returns the segments in the order of their containers and first timestamps; those without one come last.
    private static func byTime(_ fronts: [Front]) -> [Segment] {
        var ordered: [Segment] = []
        for container in Set(fronts.map(\.container)).sorted() {
            let members = fronts.filter { $0.container == container && $0.time != nil }
            ordered += fromStart(
                members.enumerated().sorted { left, right in
                    let (one, other) = (left.element.time?.seconds ?? 0, right.element.time?.seconds ?? 0)
                    return (one, left.offset) < (other, right.offset)
                }.map(\.element)
            ).map(\.segment)
            ordered += fronts.filter { $0.container == container && $0.time == nil }.map(\.segment)
        }
        let timed = Set(fronts.filter { $0.time != nil }.map(\.segment.displayName))
        let names = ordered.map(\.displayName).filter(timed.contains)
        // Names that have the order of the timestamps keep it, with the files that have none in between.
        return names == fronts.map(\.segment.displayName).filter(timed.contains)
            ? fronts.map(\.segment) : ordered
    }

    /// Returns segments in the order of their timestamps, which wrap, from the one behind the longest interval.
    private static func fromStart(_ fronts: [Front]) -> [Front] {
        guard let last = fronts.last, last.wraps else { return fronts }
        let turn = Double(1 << 33) / Double(MediaTimestamp.transportTimescale)
        var start = (index: 0, interval: 0.0)
        var previous = (last.time?.seconds ?? 0) - turn
        for (index, front) in fronts.enumerated() {
            let seconds = front.time?.seconds ?? 0
            if seconds - previous > start.interval { start = (index, seconds - previous) }
            previous = seconds
        }
        return Array(fronts[start.index...] + fronts[..<start.index])
    }

    /// Reads the front of a local segment; an unreadable one has no timestamp, and is reported when it is read.
    private static func front(of segment: Segment) -> Front {
        var front = Front(segment: segment)
        guard case .path(let path) = segment.address else { return front }
        do throws(SystemError) {
            guard try FileSystem.kind(of: path) == .regularFile else { return front }
            let bytes = try FileSystem.firstBytes(of: path, frontByteCount)
            guard let facts = facts(of: bytes) else { return front }
            switch facts.container {
            case .transportStream: front.container = 0
            case .packedAudio: front.container = 1
            case .fragmentedMP4(let isInitialization):
                front.container = 2
                front.isInitialization = isInitialization
            case .unknown: break
            }
            front.wraps = facts.container.hasWrappingTime
            front.time = facts.earliestMediaTime
        } catch {
            return front
        }
        return front
    }

    private static func facts(of bytes: [UInt8]) -> CarriageFacts? {
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        do throws(DemuxError) {
            try demuxer.feed(bytes.span)
            return try demuxer.endSegment().facts
        } catch {
            return nil
        }
    }
}
