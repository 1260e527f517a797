import ID3v2
package import TimedMedia

extension TimedMetadata {
    /// The first ID3v2 rule that the tag breaks, with its position from the start of the segment.
    ///
    /// Nil if the tag breaks no rule or is truncated.
    package var malformation: CarriageFacts.MalformedRange? {
        guard completeness == .complete else { return nil }
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes.span)
            var frames = tag.frames
            while frames.next() != nil {}
            if let defect = frames.defect { throw defect }
            guard !tag.deviations.isEmpty else { return nil }
            let names = tag.deviations.names.joined(separator: ", ")
            return .init(offset: offset, length: bytes.count, rule: names)
        } catch {
            let offset = offset.addingReportingOverflow(error.offset).partialValue
            return .init(offset: offset, length: max(0, bytes.count - error.offset), rule: error.rule)
        }
    }
}
