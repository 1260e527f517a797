import ID3v2
import LibAVDemux
import SegmentDemux

/// Demuxes the input as two segments of a transport stream: whole, in chunks, and with each segment filtered by itself.
///
/// Bit 0 of the first byte puts a PAT and a PMT before the rest. Bit 1 turns the rest into packets of the timed-ID3
/// PID, so that the bytes reach the PES packets and tags. The other bits select the size of the chunks and the start of
/// the second segment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first, input.count <= 1 << 16 else { return 0 }
    var bytes = Array(input.dropFirst())
    if choice & 2 != 0 {
        for position in stride(from: 0, to: bytes.count - 3, by: 188) {
            bytes[position] = 0x47
            bytes[position + 1] = bytes[position + 1] & 0xE0 | 0x01
            bytes[position + 2] = 0x02
        }
    }
    if choice & 1 != 0 { bytes = tables + bytes }
    let cut = bytes.count * Int(choice >> 5) / 8
    let size = Int(choice >> 2 & 7) * 61 + 1
    let whole = demux(bytes, cut: cut, chunk: .max)
    let chunked = demux(bytes, cut: cut, chunk: size)
    precondition(whole == chunked, "the result depends on the chunks")
    let filtered = demux(bytes, cut: cut, chunk: size, filtersApart: true)
    precondition(whole == filtered, "segments that are filtered by themselves give something else")
    var total = 0
    for case .success(let segment) in whole {
        precondition(segment.facts.malformed.first.count <= CarriageFacts.maximumListed)
        for tag in segment.tags {
            precondition(tag.bytes.starts(with: [0x49, 0x44, 0x33]))
            precondition(tag.offset >= 0 && tag.offset < max(1, bytes.count))
            if case .truncated(let expected) = tag.completeness { precondition(expected >= tag.bytes.count) }
            total &+= tag.bytes.count
        }
    }
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}

private func demux(
    _ bytes: [UInt8], cut: Int, chunk: Int, filtersApart: Bool = false
) -> [Result<DemuxedSegment, DemuxError>] {
    var demuxer = SegmentDemuxer()
    var segments: [Result<DemuxedSegment, DemuxError>] = []
    for range in [0..<cut, cut..<bytes.count] {
        do throws(DemuxError) {
            if filtersApart, let segment = filter(bytes.span.extracting(range), chunk: chunk) {
                segments.append(.success(try demuxer.demux(segment)))
                continue
            }
            demuxer.beginSegment()
            var position = range.lowerBound
            while position < range.upperBound {
                let next = position + min(chunk, range.upperBound - position)
                try demuxer.feed(bytes.span.extracting(position..<next))
                position = next
            }
            segments.append(.success(try demuxer.endSegment()))
        } catch {
            let expected = DemuxError.unknownContainer(byteCount: UInt64(range.count))
            precondition(error == expected, "the library fails: \(error)")
            segments.append(.failure(error))
        }
    }
    return segments + [.success(DemuxedSegment(tags: demuxer.finish()))]
}

private func filter(_ bytes: Span<UInt8>, chunk: Int) -> FilteredSegment? {
    var filter = SegmentFilter()
    var position = 0
    while position < bytes.count {
        let next = position + min(chunk, bytes.count - position)
        filter.feed(bytes.extracting(position..<next))
        position = next
    }
    return filter.finish()
}

/// The PAT and PMT of one program: timed ID3 on PID 0x102, audio on 0x101.
private let tables: [UInt8] = {
    let pat: [UInt8] = [
        0x47, 0x40, 0x00, 0x10, 0x00, 0x00, 0xB0, 0x0D, 0x00, 0x01, 0xC1, 0x00, 0x00, 0x00, 0x01, 0xF0, 0x00,
    ]
    let pmt: [UInt8] = [
        0x47, 0x50, 0x00, 0x10, 0x00, 0x02, 0xB0, 0x17, 0x00, 0x01, 0xC1, 0x00, 0x00, 0xE1, 0x01, 0xF0, 0x00,
        0x0F, 0xE1, 0x01, 0xF0, 0x00, 0x15, 0xE1, 0x02, 0xF0, 0x00,
    ]
    return [pat, pmt].flatMap { packet in
        let whole = packet + checksum(packet[5...])
        return whole + [UInt8](repeating: 0xFF, count: 188 - whole.count)
    }
}()

private func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        crc ^= UInt32(byte) << 24
        for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
    }
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: crc >> $0) }
}
