import ID3v2
import TextForms

/// The playback of an asset: its playheads, interruptions and device, for its record of kind `session`.
struct AssetProgress: Sendable {
    /// The first playhead and the last; nil before the first.
    private(set) var range: (first: Double, last: Double)?
    /// The seconds played, without jumps.
    private(set) var watched = 0.0

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

    /// Whether there is a playhead, or anything else that the player reported during the asset.
    var isWorthRecording: Bool { range != nil || hasDevice || !viewability.isEmpty }

    /// Begins at the first report about the asset; returns whether this is it.
    mutating func begin(at step: borrowing SessionStep) -> Bool {
        guard started == nil else { return false }
        started = step.wall
        ended = step.wall
        return true
    }

    /// Records a playhead, and how playback moved to it.
    mutating func move(to position: Double, _ movement: Playhead.Movement, at step: borrowing SessionStep) {
        defer { ended = step.wall }
        guard let range else {
            self.range = (position, position)
            interruption = nil
            return
        }
        if movement == .on { watched += max(0, position - range.last) }
        resume(at: range.last, step)
        self.range = (range.first, position)
    }

    /// Records that playback is interrupted, until the next playhead.
    mutating func interrupt(at time: Duration, wall: WallTime) {
        if interruption == nil { interruption = (wall, time) }
    }

    private mutating func resume(at position: Double, _ step: borrowing SessionStep) {
        guard let pause = interruption else { return }
        interruption = nil
        let seconds = ((step.time - pause.time) / .milliseconds(1)).rounded() / 1_000
        _ = pauses.add { writer in
            writer.beginObject()
            writer.write("playhead", number: position)
            writer.key("at")
            writer.value(time: pause.wall.unixMilliseconds)
            writer.write("seconds", number: max(0, seconds))
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

    /// Returns the content of the record.
    func content(withholding: Withholding) -> [UInt8] {
        var content = RecordContent()
        content.add { writer in
            if let range { writer.write("first_playhead", range.first) }
            writer.write("watched", watched)
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
