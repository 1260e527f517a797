import HLSInput
import HLSPlaylist
import HostSystem

/// The copies of a channel's newest segments in the folder of an alert, with the requests made for them.
struct CopiedSegments: Sendable {
    /// The path of the folder.
    let folder: String
    /// The number of bytes that may still be written.
    private(set) var room: Int
    /// The playlist of the copied segments.
    var playlist = EvidencePlaylist()
    /// The requests for the copies.
    private(set) var requests: [EvidenceFacts.Request] = []
    /// The error that prevents further writing; nil if there is none.
    private(set) var failure: SystemError?

    init(folder: String, room: Int) {
        self.folder = folder
        self.room = room
    }

    /// Records a copy that was written to a file.
    mutating func note(_ copy: LiveSegmentCopy, of uri: String, as name: String) {
        if failure == nil { failure = copy.writingFailure }
        room -= copy.byteCount
        requests.append(
            .init(
                file: name, address: uri, seconds: copy.duration / .seconds(1), byteCount: copy.byteCount,
                failure: copy.failure?.reason))
    }

    /// Removes the file that was recorded last.
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
