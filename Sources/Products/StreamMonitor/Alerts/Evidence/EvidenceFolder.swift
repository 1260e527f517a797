import HostSystem

/// The folder with the evidence of all alerts, one subfolder each, limited in size: the oldest are removed first.
struct EvidenceFolder: Sendable {
    /// The maximum total size in bytes.
    static let maximumByteCount = 200 << 20
    /// The maximum number of alerts with evidence.
    static let maximumCount = 1_000

    /// The path of the folder.
    let path: String

    /// Returns the path for the evidence of an alert.
    func path(ofAlert id: String) -> String {
        let name = id.utf8.map { byte -> String in
            let letter = String(decoding: [byte], as: UTF8.self)
            return ChannelSettings.isID(letter) || letter == "." ? letter : "_"
        }
        // The distinctive part of an alert's id is at its end.
        return "\(path)/\(name.joined().suffix(Self.maximumNameLength).drop { $0 == "." })"
    }

    private static let maximumNameLength = 200

    /// Removes the oldest evidence until there is room for `byteCount` bytes and one more alert; never removes
    /// `current`.
    func makeRoom(byteCount: Int, keeping current: String) throws(SystemError) {
        var entries: [(path: String, age: Duration, byteCount: Int)] = []
        for name in try FileSystem.names(in: path) {
            let folder = "\(path)/\(name)"
            guard folder != current, let age = FileSystem.modificationTime(of: folder) else { continue }
            entries.append((folder, age, try size(of: folder)))
        }
        entries.sort { ($0.age, $0.path) < ($1.age, $1.path) }
        var total = entries.reduce(byteCount) { $0 + $1.byteCount }
        var count = entries.count
        for entry in entries where total > Self.maximumByteCount || count >= Self.maximumCount {
            try remove(entry.path)
            total -= entry.byteCount
            count -= 1
        }
    }

    /// Removes the evidence of an alert.
    func remove(_ folder: String) throws(SystemError) {
        for name in try names(in: folder) { try FileSystem.remove("\(folder)/\(name)") }
        try FileSystem.removeDirectory(folder)
    }

    private func size(of folder: String) throws(SystemError) -> Int {
        try names(in: folder).reduce(0) { $0 + (FileSystem.byteCount(of: "\(folder)/\($1)") ?? 0) }
    }

    /// Returns the file names of an alert's evidence; throws if the folder is a symbolic link, which the monitor never
    /// makes.
    private func names(in folder: String) throws(SystemError) -> [String] {
        _ = try FileDescriptor(path: folder, options: [.reading, .directory, .noFollow])
        return try FileSystem.names(in: folder)
    }
}
