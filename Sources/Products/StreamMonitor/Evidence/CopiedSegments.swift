import HLSInput
import HLSPlaylist
import HostSystem

/// What was copied of a channel's newest segments into the folder of an alert, and how that went.
struct CopiedSegments: Sendable {
    /// The folder.
    let folder: String
    /// How many bytes there is room for.
    private(set) var room: Int
    /// The segments that were kept.
    var playlist = EvidencePlaylist()
    /// How each was fetched.
    private(set) var requests: [EvidenceFacts.Request] = []
    /// Why nothing more can be written; nil where it can.
    private(set) var failure: SystemError?

    init(folder: String, room: Int) {
        self.folder = folder
        self.room = room
    }

    /// Notes a copy that was made to a file.
    mutating func note(_ copy: LiveSegmentCopy, of uri: String, as name: String) {
        if failure == nil { failure = copy.writingFailure }
        room -= copy.byteCount
        requests.append(
            .init(
                file: name, address: uri, seconds: copy.duration / .seconds(1), byteCount: copy.byteCount,
                failure: copy.failure?.reason))
    }

    /// Removes the file that was noted last.
    mutating func dropLast() {
        guard let name = requests.last?.file else { return }
        requests[requests.count - 1].file = nil
        do throws(SystemError) {
            try FileSystem.remove("\(folder)/\(name)")
        } catch {
            failure = error
        }
    }
}
