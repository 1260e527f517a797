import ID3v2
import TextForms

/// The playback of an asset: its playheads, interruptions and device, for its record of kind `session`.
struct AssetProgress: Sendable {
    /// The first playhead and the last; nil before the first.
    private(set) var range: (first: Double, last: Double)?
    private var watched = WatchedTime()

    private var started: WallTime?
    private var ended: WallTime?
    /// The interruption that lasts, from its time on; nil while playback continues.
    private var interruption: (wall: WallTime, time: Duration)?
    private var pauses = RecordList(maximumByteCount: 2_048)
    private var volumes = RecordList(maximumByteCount: 1_536)
    private var mutes = RecordList(maximumByteCount: 1_024)
    private var screens = RecordList(maximumByteCount: 4_096)
    private var viewability = ViewabilitySeries()
    private var hasDevice = false
    /// The time of viewing a page before an interruption, in seconds; nil if the asset is not a page.
    private var viewed: Double?
    /// The time since when the page is viewed; nil while it is interrupted.
    private var viewedSince: Duration?

    /// Whether there is a playhead, or anything else that the player reported during the asset.
    var isWorthRecording: Bool { range != nil || viewed != nil || hasDevice || !viewability.isEmpty }

    /// Returns the seconds between two times, to the millisecond.
    static func seconds(from start: Duration, to end: Duration) -> Double {
        max(0, (end - start) / .milliseconds(1)).rounded() / 1_000
    }

    /// Begins or continues to measure how long a page is viewed.
    mutating func view(at step: borrowing SessionStep) {
        _ = begin(at: step)
        viewed = viewed ?? 0
        if viewedSince == nil { viewedSince = step.time }
        interruption = nil
    }

    /// Begins at the first report about the asset; returns whether this is it.
    mutating func begin(at step: borrowing SessionStep) -> Bool {
        guard started == nil else { return false }
        started = step.wall
        ended = step.wall
        return true
    }

    /// Records a playhead, and how playback moved to it.
    mutating func move(to position: Double, _ movement: Playhead.Movement, at step: borrowing SessionStep) {
        ended = step.wall
        let last = range?.last
        let isContinued = movement == .on && interruption == nil
        watched.move(by: last.map { position - $0 }, isContinued: isContinued, at: step.time)
        if let last { resume(at: last, step) } else { interruption = nil }
        range = (range?.first ?? position, position)
    }

    /// Records that playback is interrupted, until the next playhead.
    mutating func interrupt(at time: Duration, wall: WallTime) {
        if interruption == nil { interruption = (wall, time) }
        guard let since = viewedSince else { return }
        viewed = (viewed ?? 0) + Self.seconds(from: since, to: time)
        viewedSince = nil
        ended = wall
    }

    private mutating func resume(at position: Double, _ step: borrowing SessionStep) {
        guard let pause = interruption else { return }
        interruption = nil
        let seconds = Self.seconds(from: pause.time, to: step.time)
        _ = pauses.add { writer in
            writer.beginObject()
            writer.write("playhead", number: position)
            writer.key("at")
            writer.value(time: pause.wall.unixMilliseconds)
            writer.write("seconds", number: seconds)
            writer.endObject()
        }
    }

    /// Records a change of the device; returns whether there was room for it.
    ///
    /// - Parameter isNew: whether it happened during the asset, and not before.
    mutating func change(
        _ change: DeviceStatus.Change, isNew: Bool, withholding: Withholding, at step: borrowing SessionStep
    ) -> Bool {
        if isNew { hasDevice = true }
        func add(_ list: inout RecordList, _ members: (inout JSONWriter) -> Void) -> Bool {
            list.add { writer in
                writer.beginObject()
                if let playhead = range?.last { writer.write("playhead", number: playhead) }
                writer.key("at")
                writer.value(time: step.wall.unixMilliseconds)
                members(&writer)
                writer.endObject()
            }
        }
        switch change {
        case .volume(let percent): return add(&volumes) { $0.write("percent", number: percent) }
        case .mute(let isMuted):
            return add(&mutes) { writer in
                writer.key("muted")
                writer.value(isMuted)
            }
        case .screen(let screen):
            var isWhole = true
            let isAdded = add(&screens) { writer in
                for member in withholding.remaining(screen.countedMembers) {
                    writer.key(escaping: member.key)
                    if !member.value.write(to: &writer, maximumDepth: 8) { isWhole = false }
                }
            }
            return isAdded && isWhole
        }
    }

    /// Records series of viewability; returns whether all of it is kept.
    mutating func track(_ value: MetadataValue?, _ step: inout SessionStep) -> Bool {
        return viewability.add(value, &step)
    }

    /// Returns the content of the record of an asset that is over.
    mutating func content(withholding: Withholding, at step: borrowing SessionStep) -> [UInt8] {
        if viewedSince != nil { interrupt(at: step.time, wall: step.wall) }
        var content = RecordContent()
        content.add { writer in
            if let range { writer.write("first_playhead", range.first) }
            writer.write("watched", watched.seconds)
            if let viewed { writer.write("viewed", number: viewed) }
            for (key, time) in [("started", started), ("ended", ended)] {
                guard let time else { continue }
                writer.key(key)
                writer.value(time: time.unixMilliseconds)
            }
            if pauses.count > 0 { writer.write("pause_count", pauses.count) }
        }
        pauses.write("pauses", to: &content)
        volumes.write("volume", to: &content)
        mutes.write("mute", to: &content)
        screens.write("ott", to: &content)
        viewability.write(to: &content, withholding: withholding)
        return content.finish()
    }
}

/// The seconds of playback, from the playheads of an asset.
///
/// From each playhead to the next one, the distance of the positions counts, but no more than the time that passed.
/// Nothing counts from an interruption, a jump or a stall on. The guides ask for a playhead each second, or every two
/// (guide 002, 5.4 `playheadPosition`). Longer steps are stalls, unless the player reports all playheads that rarely.
private struct WatchedTime: Sendable {
    /// The longest step in seconds that is never a stall: the longest interval of the guides, and half of it.
    private static let longestStep = 3.0
    /// The ratio of two steps that have the same interval.
    private static let tolerance = 1.5
    /// The maximum time in seconds that passes before its position is reported, because playheads are whole seconds.
    private static let longestDelay = 1.0

    private(set) var seconds = 0.0
    /// The time of the last playhead; nil before the first.
    private var last: Duration?
    /// The interval of the player in seconds, if it is a long one; otherwise 0.
    private var interval = 0.0
    /// The time in seconds that has passed without its position.
    private var uncounted = 0.0
    /// The first step after an interruption, if it is long: it counts if the next one has the same length.
    private var first: (length: Double, seconds: Double)?
    /// Whether there was no step since the last interruption.
    private var isResumed = true

    /// Adds the step to a playhead.
    ///
    /// - Parameters:
    ///   - distance: the change of the position; nil for the first playhead.
    ///   - isContinued: whether playback continued since the last playhead.
    mutating func move(by distance: Double?, isContinued: Bool, at time: Duration) {
        let length = last.map { (time - $0) / .seconds(1) } ?? 0
        last = time
        guard let distance, isContinued else { return restart() }
        if length <= Self.longestStep {
            first = nil
            interval = 0
        } else if length <= interval * Self.tolerance {
            // The interval of the player.
        } else if let first, length <= first.length * Self.tolerance, first.length <= length * Self.tolerance
        {
            seconds += first.seconds
            interval = length
            self.first = nil
        } else {
            // A stall, which may be the first step of a player that reports rarely.
            let mayBeInterval = isResumed
            restart()
            if mayBeInterval {
                first = (length, min(max(0, distance), length))
                isResumed = false
            }
            return
        }
        isResumed = false
        let passed = uncounted + length
        let counted = min(max(0, distance), passed)
        seconds += counted
        uncounted = min(passed - counted, Self.longestDelay)
    }

    private mutating func restart() {
        first = nil
        uncounted = 0
        isResumed = true
    }
}

/// The series of `trackViewability` (guide 003, "Viewability and Audibility Implementation", "Data Collected").
///
/// An item is `[value, start offset, start timestamp, duration]`.
struct ViewabilitySeries: Sendable {
    /// The names of the series, and whether the values of one are percent; otherwise they are sizes as `WxH`.
    private static let names: [(name: String, isPercent: Bool)] = [
        ("invs", true), ("inau", true), ("inss", false), ("invp", false), ("ines", false),
    ]
    private static let source = GuideSource(.simplified, "Data collected").description
    private static let maximumByteCount = 1_024

    private var lists = names.map { _ in RecordList(maximumByteCount: maximumByteCount) }
    /// The members that belong to no series, as the last call passed them.
    private var others = Metadata()

    /// Whether there is nothing.
    var isEmpty: Bool { lists.allSatisfy { $0.count == 0 } && others.members.isEmpty }

    /// Adds the items of a call; returns whether all of them are kept.
    mutating func add(_ value: MetadataValue?, _ step: inout SessionStep) -> Bool {
        guard let data = step.metadata(value) else {
            step.find(.valueType, value: value, expected: "an object", source: Self.source)
            return false
        }
        var isKept = !data.members.isEmpty
        for (index, series) in Self.names.enumerated() {
            guard let value = data[series.name] else { continue }
            for item in Self.items(in: value) {
                if Self.isValid(item, isPercent: series.isPercent) {
                    let isAdded = lists[index].add { item.write(to: &$0, maximumDepth: 1) }
                    if !isAdded { isKept = false }
                } else {
                    step.find(
                        .keyValue, key: series.name, value: item,
                        expected: "[value, start offset, start timestamp, duration]", source: Self.source)
                    isKept = false
                }
            }
        }
        let known = Set(Self.names.map(\.name))
        others = others.updated(
            with: Metadata(members: data.countedMembers.filter { !known.contains($0.key.lowercased()) }))
        return isKept
    }

    /// Returns the items of a series: its elements, or the value itself if it is a single item.
    private static func items(in value: MetadataValue) -> [MetadataValue] {
        guard case .list(let elements) = value else { return [value] }
        if case .list? = elements.first { return elements }
        return elements.isEmpty ? [] : [value]
    }

    private static func isValid(_ item: MetadataValue, isPercent: Bool) -> Bool {
        guard case .list(let parts) = item, parts.count == 4 else { return false }
        guard parts.dropFirst().allSatisfy({ $0.finiteNumber.map { $0 >= 0 } ?? false }) else { return false }
        if isPercent { return parts[0].finiteNumber.map { (0...100).contains($0) } ?? false }
        guard case .text(let size) = parts[0] else { return false }
        let sides = size.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        return sides.count == 2
            && sides.allSatisfy { (1...6).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }
    }

    /// Writes the series, and the other members beside them.
    func write(to content: inout RecordContent, withholding: Withholding) {
        if isEmpty { return }
        for (series, list) in zip(Self.names, lists) { list.write(series.name, to: &content) }
        if !others.members.isEmpty { content.add("viewability", others, withholding: withholding) }
    }
}
