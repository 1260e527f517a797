import ID3v2
package import TimedMedia

extension TimedMetadata {
    /// The first rule of ID3v2 that the tag breaks, and where, counted from the start of its segment; nil where it
    /// breaks none, and for a truncated tag.
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
