import HLSPlaylist
import HostSystem

/// An input of a command: an operand, or all operands that are segments of one folder.
///
/// The segments of a folder are one presentation, so that a tag that is lost between two of them is noticed. A
/// playlist, a directory and a stream are each an input of their own.
package struct InputOperand: Sendable, Hashable {
    /// The name of the input in reports, shards and resumed files: the operand, or the folder of its segments.
    package let source: String

    /// The segments in the order of their names, as named by the user; empty for a single operand.
    package let segments: [String]

    /// Creates an input of a single operand.
    package init(_ operand: String) {
        source = operand
        segments = []
    }

    private init(folder: String, segments: [(operand: String, name: String)]) {
        source = folder
        self.segments = segments.sorted { NaturalOrder.precedes($0.name, $1.name) }.map { $0.operand }
    }

    /// Returns the inputs in the order of their first operands.
    ///
    /// A file counts as a segment unless it begins like a playlist. A file that cannot be read, and a network address,
    /// which is not requested here, count as segments by the extensions of their names: the file is then missing from
    /// its presentation. A file that is named twice is read once.
    package static func grouped(_ operands: [String]) -> [InputOperand] {
        guard operands.count > 1 else { return operands.map(InputOperand.init) }
        var folders = FolderIdentities()
        /// The operands of each input; a folder has its text.
        var inputs: [(folder: String?, members: [(operand: String, name: String)])] = []
        var places: [FolderIdentities.Key: Int] = [:]
        var known: Set<[String]> = []
        for operand in operands {
            guard let (folder, name) = place(of: operand), let key = folders.key(of: folder) else {
                inputs.append((nil, [(operand, operand)]))
                continue
            }
            let place = places[key] ?? inputs.count
            if place == inputs.count {
                places[key] = place
                inputs.append((folder, []))
            }
            guard known.insert(["\(place)", name]).inserted else { continue }
            inputs[place].members.append((operand, name))
        }
        return inputs.map { folder, members in
            guard let folder, members.count > 1 else { return InputOperand(members[0].operand) }
            return InputOperand(folder: folder, segments: members)
        }
    }

    /// Returns the folder and the name of a segment, or nil for any other operand.
    private static func place(of operand: String) -> (folder: String, name: String)? {
        switch InputAddress(argument: operand) {
        case .standardInput, .data, .memory: nil
        case .network(let address): InputAddress.segmentPlace(of: address)
        case .path(let path): mayBeSegment(path) ? InputAddress.segmentPlace(ofPath: path) : nil
        }
    }

    private static func mayBeSegment(_ path: String) -> Bool {
        do throws(SystemError) {
            guard try FileSystem.kind(of: path) == .regularFile else { return false }
            return !OpenedInput.beginsLikePlaylist(
                try FileSystem.firstBytes(of: path, OpenedInput.signatureByteCount))
        } catch {
            return InputAddress.hasSegmentExtension(path)
        }
    }
}

extension InputAddress {
    /// The extensions of media segments in addresses.
    private static let segmentExtensions: Set<String> = [
        "ts", "m2ts", "mts", "m4s", "mp4", "m4a", "m4v", "m4f", "cmfa", "cmfv", "cmfc", "aac", "mp3", "ac3",
        "ec3",
    ]

    /// Whether the name of a path or of an address without query has the extension of a segment.
    static func hasSegmentExtension(_ path: some StringProtocol) -> Bool {
        guard let dot = path.lastIndex(of: "."), path.lastIndex(of: "/").map({ $0 < dot }) ?? true else {
            return false
        }
        return segmentExtensions.contains(path[path.index(after: dot)...].lowercased())
    }

    /// Returns the folder and the name of a path.
    static func segmentPlace(ofPath path: String) -> (folder: String, name: String)? {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        var folder = path[..<slash]
        while folder.last == "/" { folder.removeLast() }
        return name.isEmpty ? nil : (folder.isEmpty ? "/" : String(folder), name)
    }

    /// Returns the folder, with its slash, and the name with its query, of an address that names a segment.
    static func segmentPlace(of address: String) -> (folder: String, name: String)? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/"), hasSegmentExtension(path) else { return nil }
        let start = path.index(after: slash)
        return (String(path[..<start]), String(address[start...]))
    }
}

/// The identities of folders, so that two paths of one folder are the same.
private struct FolderIdentities {
    /// The identity of a folder.
    enum Key: Hashable {
        case directory(FileIdentity)
        case address(String)
    }

    private var known: [String: Key?] = [:]

    /// Returns the identity of a folder, or nil if it does not exist.
    mutating func key(of folder: String) -> Key? {
        if let key = known[folder] { return key }
        let key: Key? =
            folder.hasSuffix("/") && folder != "/"
            ? .address(folder) : FileSystem.identity(of: folder).map(Key.directory)
        known[folder] = .some(key)
        return key
    }
}
