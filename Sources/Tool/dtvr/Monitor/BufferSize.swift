import HostSystem

/// How large the buffer of a monitor may be, and how long an outage of the collector that covers.
struct BufferSize {
    /// What ten days of the tags of one channel take.
    private static let byteCountOfChannel = 30_000_000

    /// The most that the files of the buffer may take.
    let byteCount: Int
    private let channelCount: Int

    /// A size for so many channels: the user's limit, or what they need, but at most half of the free disk.
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

    /// What the disk has left for a folder, which need not be there yet; nil where nobody knows.
    private static func freeByteCount(for folder: String) -> Int? {
        var path = folder.hasPrefix("/") ? folder : "./\(folder)"
        while true {
            if let free = FileSystem.availableByteCount(at: "\(path)/tags.sqlite") { return free }
            guard let slash = path.lastIndex(of: "/") else { return nil }
            path = String(path[..<slash])
        }
    }

    /// The smallest buffer that there is.
    private static let smallest = 2_000_000

    /// How long an outage may last, in one line.
    var text: String {
        let days = 10 * Double(byteCount) / Double(max(1, channelCount) * Self.byteCountOfChannel)
        let covered =
            days >= 1 ? "\(Int(min(days, 10))) days" : "\(max(1, Int(days * 24))) hours"
        return "the buffer may take \(ByteCountText.text(byteCount)), about \(covered) of the tags of "
            + (channelCount == 1 ? "1 channel" : "\(channelCount) channels")
    }
}
