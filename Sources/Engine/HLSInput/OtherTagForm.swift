import ID3v2
import TimedMedia

/// What an ID3 tag that is not Nielsen's breaks of ID3v2.
enum OtherTagForm {
    /// The first rule that a tag breaks, and where; nil where it breaks none, and for one that was cut on its way.
    ///
    /// Offsets count from the start of the tag's segment.
    static func malformation(of metadata: TimedMetadata) -> CarriageFacts.MalformedRange? {
        guard metadata.completeness == .complete else { return nil }
        let length = metadata.bytes.count
        do throws(ID3Error) {
            let tag = try ID3Tag(metadata.bytes.span)
            var frames = tag.frames
            while frames.next() != nil {}
            if let defect = frames.defect { throw defect }
            guard !tag.deviations.isEmpty else { return nil }
            let names = tag.deviations.names.joined(separator: ", ")
            return .init(offset: metadata.offset, length: length, rule: names)
        } catch {
            let offset = metadata.offset.addingReportingOverflow(error.offset).partialValue
            return .init(offset: offset, length: max(0, length - error.offset), rule: error.rule)
        }
    }
}
