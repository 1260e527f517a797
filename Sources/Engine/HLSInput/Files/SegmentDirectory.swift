import HLSPlaylist
import HostSystem

extension InputResolver {
    /// Returns the names of the files in a directory in natural order, without hidden files, directories, pipes and
    /// devices.
    ///
    /// Dangling links are included, so that reading them reports the missing file.
    static func fileNames(in directory: String) throws(InputError) -> [String] {
        let names: [String]
        do throws(SystemError) {
            names = try FileSystem.names(in: directory)
        } catch {
            throw .unreadable(directory, reason: "cannot be listed: \(error.reason)")
        }
        return names.filter { !$0.hasPrefix(".") && mayBeFile("\(directory)/\($0)") }
            .sorted(by: NaturalOrder.precedes)
    }

    /// Returns the error for a directory without files, which names the folders in it.
    static func emptiness(of directory: String, _ source: String) throws(InputError) -> InputError {
        let folders: [String]
        do throws(SystemError) {
            folders = try FileSystem.names(in: directory).filter { name in
                !name.hasPrefix(".") && isFolder("\(directory)/\(name)")
            }
        } catch {
            throw .unreadable(directory, reason: "cannot be listed: \(error.reason)")
        }
        if folders.isEmpty { return .empty(source) }
        let sorted = folders.sorted(by: NaturalOrder.precedes)
        let named = sorted.prefix(DirectoryPlaylists.maximumListedCount).joined(separator: ", ")
        let more = sorted.count > DirectoryPlaylists.maximumListedCount ? ", …" : ""
        return .unreadable(source, reason: "has no files, only folders; name one of them: \(named)\(more)")
    }

    private static func isFolder(_ path: String) -> Bool {
        do throws(SystemError) {
            return try FileSystem.kind(of: path) == .directory
        } catch {
            return false
        }
    }

    private static func mayBeFile(_ path: String) -> Bool {
        do throws(SystemError) {
            return try FileSystem.kind(of: path) == .regularFile
        } catch {
            return true
        }
    }
}

/// The playlists in a directory; one is read.
struct DirectoryPlaylists {
    /// The playlists that were found, with the names of all.
    private struct Found {
        var names: [String] = []
        var first: (playlist: Playlist, opened: OpenedInput)?
    }

    private var multivariant = Found()
    private var media = Found()
    /// The errors of files that are named like playlists and could not be read.
    var failures: [InputError] = []

    /// The number of playlists, or of folders, that an error lists.
    fileprivate static let maximumListedCount = 10

    /// Returns whether a file is named like a playlist (RFC 8216, section 4).
    static func mayBePlaylist(_ name: String) -> Bool {
        [".m3u8", ".m3u"].contains { name.lowercased().hasSuffix($0) }
    }

    /// Adds a playlist.
    ///
    /// - Throws: `damagedPlaylist` for a media playlist without segments, or whose segments are all missing: then the
    ///   other files of the directory are more than it lists.
    mutating func add(
        _ playlist: Playlist, at opened: OpenedInput, named name: String
    ) throws(InputError) {
        switch playlist {
        case .multivariant: Self.add(playlist, at: opened, named: name, to: &multivariant)
        case .media(let listed):
            if listed.segments.isEmpty {
                throw .damagedPlaylist(opened.address.text, reason: "lists no segment")
            }
            guard listed.segments.contains(where: { mayExist($0.uri, at: opened.address) }) else {
                throw .damagedPlaylist(opened.address.text, reason: "lists only segments that do not exist")
            }
            Self.add(playlist, at: opened, named: name, to: &media)
        }
    }

    /// Whether a segment is not a missing local file.
    private func mayExist(_ uri: String, at playlist: InputAddress) -> Bool {
        do throws(InputError) {
            guard case .path(let path) = try playlist.resolving(uri) else { return true }
            return FileSystem.byteCount(of: path) != nil
        } catch {
            return true
        }
    }

    private static func add(
        _ playlist: Playlist, at opened: OpenedInput, named name: String, to found: inout Found
    ) {
        found.names.append(name)
        if found.first == nil { found.first = (playlist, opened) }
    }

    /// Returns the only multivariant playlist, or else the only media playlist; nil without a playlist.
    ///
    /// - Throws: `severalPlaylists` if the choice is not clear.
    func chosen(in source: String) throws(InputError) -> (Playlist, OpenedInput)? {
        let candidates = multivariant.names.isEmpty ? media : multivariant
        if candidates.names.count > 1 {
            throw .severalPlaylists(
                source, names: Array(candidates.names.prefix(Self.maximumListedCount)),
                count: candidates.names.count)
        }
        return candidates.first.map { ($0.playlist, $0.opened) }
    }
}

/// The natural order of numbered file names: `seg2` before `seg10`.
///
/// Runs of ASCII digits compare as numbers of any length, everything else byte by byte. Names that differ only in
/// leading zeros compare by their bytes, so that the order is total.
package enum NaturalOrder {
    /// Returns whether `left` comes before `right`.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var leftIndex = 0
        var rightIndex = 0
        while leftIndex < left.count, rightIndex < right.count {
            if isDigit(left[leftIndex]), isDigit(right[rightIndex]) {
                let leftNumber = number(in: left, at: &leftIndex)
                let rightNumber = number(in: right, at: &rightIndex)
                if leftNumber.count != rightNumber.count { return leftNumber.count < rightNumber.count }
                if leftNumber != rightNumber { return leftNumber.lexicographicallyPrecedes(rightNumber) }
            } else {
                if left[leftIndex] != right[rightIndex] { return left[leftIndex] < right[rightIndex] }
                leftIndex += 1
                rightIndex += 1
            }
        }
        let leftRest = left.count - leftIndex
        let rightRest = right.count - rightIndex
        if leftRest != rightRest { return leftRest < rightRest }
        return left.lexicographicallyPrecedes(right)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// Returns the digits of the number at `index` without leading zeros, and advances `index` past it.
    private static func number(in bytes: [UInt8], at index: inout Int) -> ArraySlice<UInt8> {
        while index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 }
        let start = index
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }
}
