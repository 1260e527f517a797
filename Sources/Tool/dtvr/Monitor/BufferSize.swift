import HostSystem
import TextForms

/// The size limit of a monitor's buffer, and the length of collector outage that it covers.
struct BufferSize {
    /// The space for ten days of tags of one channel.
    private static let byteCountOfChannel = 30_000_000

    /// The maximum size of the buffer's files, in bytes.
    let byteCount: Int
    private let channelCount: Int

    /// Uses the limit, or else the space that the channels need, up to half of the free disk space.
    init(channelCount: Int, folder: String, limit: Int?) {
        self.channelCount = channelCount
        if let limit {
            byteCount = limit
            return
        }
        let needed = max(1, channelCount) * Self.byteCountOfChannel
        guard let free = Self.freeByteCount(for: folder) else {
            byteCount = needed
            return
        }
        let present = FileSystem.byteCount(of: "\(folder)/tags.sqlite") ?? 0
        byteCount = max(Self.smallest, min(needed, (free + present) / 2))
    }

    /// Returns the free disk space for a folder that may not exist yet, or nil if it is unknown.
    private static func freeByteCount(for folder: String) -> Int? {
        var path = folder.hasPrefix("/") ? folder : "./\(folder)"
        while true {
            if let free = FileSystem.availableByteCount(at: "\(path)/tags.sqlite") { return free }
            guard let slash = path.lastIndex(of: "/") else { return nil }
            path = String(path[..<slash])
        }
    }

    /// The minimum size of a buffer.
    private static let smallest = 2_000_000

    /// A one-line description of the size and of the outage that it covers.
    var text: String {
        let days = 10 * Double(byteCount) / Double(max(1, channelCount) * Self.byteCountOfChannel)
        let covered =
            days >= 1
            ? DecimalText.count(Int(min(days, 10)), "day") : DecimalText.count(max(1, Int(days * 24)), "hour")
        return "the buffer can use up to \(ByteCountText.text(byteCount)), about \(covered) of tags from "
            + DecimalText.count(channelCount, "channel")
    }
}
