import HLSInput
import StreamHealth
import TagPolicy

extension OwnerTextInput {
    /// The maximum number of identifiers whose repairs are printed; the verdict lists them too.
    private static let notedCount = 8

    /// Returns the tags of the text, with the problems of each, or nil if there are none or the text is unreadable.
    ///
    /// The reason has already been printed when it returns nil.
    func tags(policy: TagPolicy) -> OwnerTextTags? {
        var text = OwnerTextTags(source: source, policy: policy)
        guard read(notedCount: Self.notedCount, { text.add($0) }) else { return nil }
        if text.tags.isEmpty {
            console.note("\(name): contains no owner identifier of a Nielsen tag")
            return nil
        }
        if text.repeatCount > 0 {
            console.note("\(name): \(text.repeatCount) duplicate identifiers are ignored")
        }
        if text.lostCount > 0 {
            console.note("\(name): \(text.lostCount) identifiers over the limit are ignored")
        }
        return text
    }
}
