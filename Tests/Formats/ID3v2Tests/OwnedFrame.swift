import ByteReading

@testable import ID3v2

/// A copy of all properties of a frame, for use in expectations.
struct OwnedFrame: Equatable {
    let id: String
    let offset: Int
    let declaredSize: Int
    let isTruncated: Bool
    let format: ID3Frame.Format
    let dataLengthIndicator: Int?
    let groupIdentifier: UInt8?
    let storedContent: [UInt8]?
    let owner: [UInt8]?
    let data: [UInt8]?
    let content: ID3FrameContent
    let decoded: [UInt8]?
    let decodingError: ID3Error?
    let decodingDeviations: ID3Deviations

    init(_ frame: borrowing ID3Frame) {
        id = frame.id.description
        offset = frame.offset
        declaredSize = frame.declaredSize
        isTruncated = frame.isTruncated
        format = frame.format
        dataLengthIndicator = frame.dataLengthIndicator
        groupIdentifier = frame.groupIdentifier
        if let stored = frame.storedContent { storedContent = stored.copy() } else { storedContent = nil }
        if let content = frame.privateFrame {
            owner = content.ownerIdentifier.copy()
            data = content.data.copy()
        } else {
            owner = nil
            data = nil
        }
        content = frame.content()
        var scratch: [UInt8] = [1, 2, 3]
        do throws(ID3Error) {
            decodingDeviations = try frame.decodeContent(into: &scratch)
            decoded = scratch
            decodingError = nil
        } catch {
            decodingDeviations = []
            decoded = nil
            decodingError = error
        }
    }
}

/// A copy of all properties of a tag, including its frames.
struct OwnedTag: Equatable {
    let header: ID3Header
    let isTruncated: Bool
    let deviations: ID3Deviations
    let frames: [OwnedFrame]
    let defect: ID3Error?
    /// The frames that were recovered after defects.
    let recovered: [OwnedFrame]

    init(_ bytes: [UInt8]) throws(ID3Error) {
        let tag = try ID3Tag(bytes.span)
        header = tag.header
        isTruncated = tag.isTruncated
        deviations = tag.deviations
        var list: [OwnedFrame] = []
        var frames = tag.frames
        while let frame = frames.next() { list.append(OwnedFrame(frame)) }
        self.frames = list
        defect = frames.defect
        var recovered: [OwnedFrame] = []
        while frames.recover() {
            while let frame = frames.next() { recovered.append(OwnedFrame(frame)) }
        }
        self.recovered = recovered
    }

    var ids: [String] { frames.map(\.id) }
}
