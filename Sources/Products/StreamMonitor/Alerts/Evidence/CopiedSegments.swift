import HLSInput
import HostSystem
import TextForms

/// The copies of a channel's newest segments in the folder of an alert, with the requests made for them.
struct CopiedSegments: Sendable {
    /// The path of the folder.
    let folder: String
    /// The number of bytes that may still be written.
    private(set) var room: Int
    /// The target duration.
    var targetSeconds = 1
    /// The copied segments, in order.
    var entries: [Entry] = []
    /// The file names of the initialization segments.
    var initializationNames: [LiveSegment.ResourceID: String] = [:]
    /// The requests for the copies.
    private(set) var requests: [EvidenceFacts.Request] = []
    /// The error that prevents further writing; nil if there is none.
    private(set) var failure: SystemError?

    /// A copied segment.
    struct Entry: Sendable {
        /// The segment in the channel's playlist.
        let segment: LiveSegment
        /// The name of its file.
        let name: String
        /// The file of its initialization segment; nil if it needs none.
        let initializationName: String?
    }

    init(folder: String, room: Int) {
        self.folder = folder
        self.room = room
    }

    /// Records a copy that was written to a file.
    mutating func record(_ copy: LiveSegmentCopy, as name: String) {
        if failure == nil { failure = copy.writingFailure }
        room -= copy.byteCount
        requests.append(
            .init(
                file: name, address: copy.printableURI, seconds: copy.duration / .seconds(1),
                byteCount: copy.byteCount,
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

    /// The text of a playlist of the files, so that they can be read like the channel itself.
    var playlistText: String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(targetSeconds)"]
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(entries.first?.segment.mediaSequence ?? 0)")
        var initialization: String?
        var isInBreak = false
        for (index, entry) in entries.enumerated() {
            let segment = entry.segment
            if segment.isDiscontinuity, index > 0 { lines.append("#EXT-X-DISCONTINUITY") }
            if segment.isInBreak != isInBreak {
                isInBreak = segment.isInBreak
                lines.append(isInBreak ? "#EXT-X-CUE-OUT" : "#EXT-X-CUE-IN")
            }
            if let name = entry.initializationName, name != initialization {
                initialization = name
                lines.append(#"#EXT-X-MAP:URI="\#(name)""#)
            }
            if let date = segment.programDateTimeMilliseconds, segment.statesDate || index == 0 {
                lines.append("#EXT-X-PROGRAM-DATE-TIME:\(RFC3339.text(unixMilliseconds: date))")
            }
            lines.append("#EXTINF:\(segment.duration),")
            lines.append(entry.name)
        }
        // A recording does not grow.
        lines.append("#EXT-X-ENDLIST")
        return lines.joined(separator: "\n") + "\n"
    }
}
