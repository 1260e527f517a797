import HLSInput
import StreamHealth

extension OwnerTextInput {
    /// In how many identifiers the repairs are told; the verdict lists them too.
    private static let notedCount = 8

    /// The tags of the text; nil where there are none, or it cannot be read, which has been said then.
    func tags() -> OwnerTextTags? {
        var text = OwnerTextTags(source: source)
        guard read(notedCount: Self.notedCount, { text.add($0) }) else { return nil }
        if text.tags.isEmpty {
            console.note("\(name): holds no owner identifier of a Nielsen tag")
            return nil
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
