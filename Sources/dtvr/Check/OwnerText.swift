import Foundation
import StreamHealth
import StreamMonitor

/// Reads the owner identifiers of a text that the user names.
enum OwnerText {
    private static let chunkLength = 1 << 16
    /// How many repairs are told one by one.
    private static let notedRepairCount = 8

    /// The tags of a text, `-` for standard input; nil where there are none, which has been said then.
    static func read(_ path: String, console: Console) -> OwnerTextTags? {
        let name = path == "-" ? "standard input" : path
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle else {
            console.note("\(name): cannot be read")
            return nil
        }
        var text = OwnerTextTags(source: path)
        do {
            while let chunk = try handle.read(upToCount: chunkLength), !chunk.isEmpty {
                text.take(Array(chunk).span)
            }
        } catch {
            console.note("\(name): \(error.localizedDescription)")
            return nil
        }
        text.finish()
        if text.tags.isEmpty {
            console.note("\(name): holds no owner identifier of a Nielsen tag")
            return nil
        }
        for (tag, detail) in text.repairs.prefix(notedRepairCount) {
            console.note("\(text.tags[tag].segment ?? name): repaired: \(detail)")
        }
        if text.repairs.count > notedRepairCount {
            console.note(
                "\(name): \(text.repairs.count - notedRepairCount) repairs more; --format json lists them at tag.format"
            )
        }
        if text.repeatCount > 0 {
            console.note(
                "\(name): \(text.repeatCount) identifiers are shown again shortly after, and count once")
        }
        if text.lostCount > 0 {
            console.note("\(name): \(text.lostCount) identifiers more than are kept are left out")
        }
        return text
    }
}
