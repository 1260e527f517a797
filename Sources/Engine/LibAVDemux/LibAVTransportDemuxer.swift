internal import CDTVRLibAV
internal import ID3v2
public import SegmentDemux

extension SegmentDemuxer {
    /// Creates a demuxer that has processed no segments.
    ///
    /// It compares the tags of transport streams with those of the `mpegts` demuxer of libavformat.
    public init() { self.init(limits: DemuxLimits()) }

    /// Creates a demuxer that stays within `limits`.
    package init(limits: DemuxLimits) {
        self.init(limits: limits) { LibAVTransportDemuxer(position: $0) }
    }
}

/// The `mpegts` demuxer of libavformat, fed from memory in successive runs.
///
/// It is opened with the first bytes and stays open across segments to keep the PAT and PMT. The positions that it
/// reports count the bytes of all runs.
@safe final class LibAVTransportDemuxer: TransportLibrary {
    typealias Report = TransportReport

    private var context: UnsafeMutablePointer<AVFormatContext>?
    private var io: UnsafeMutablePointer<AVIOContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let source: UnsafeMutablePointer<MemorySource>

    /// The start of the next run, as a position in the sense of `Report`.
    private(set) var position: Int

    private let firstPosition: Int

    /// Whether the library failed in the last run, so that a new demuxer is required.
    private(set) var hasGivenUp = false

    /// The size of a transport packet, in bytes.
    private static let packetByteCount = 188

    /// The size of the I/O buffer, in bytes.
    private static let bufferByteCount = 32 << 10

    /// Creates a demuxer whose positions begin at `position`, without opening the library.
    init(position: Int = 0) {
        self.position = position
        firstPosition = position
        unsafe source = .allocate(capacity: 1)
        unsafe source.initialize(to: MemorySource())
    }

    deinit {
        // Each pointer was allocated by the library and is freed once, the context before the I/O context that it uses.
        var (context, io, packet) = unsafe (context, io, packet)
        unsafe dtvr_avformat_close_input(&context)
        if let io = unsafe io { unsafe dtvr_av_freep(&io.pointee.buffer) }
        unsafe dtvr_avio_context_free(&io)
        unsafe dtvr_av_packet_free(&packet)
        unsafe source.deinitialize(count: 1)
        unsafe source.deallocate()
    }

    /// The number of streams and programs held by the library, which grows with every change of the tables.
    var entryCount: Int {
        // The context is open and owned by self.
        guard let context = unsafe context else { return 0 }
        return Int(unsafe context.pointee.nb_streams) + Int(unsafe context.pointee.nb_programs)
    }

    /// Demuxes the bytes and flushes all data that the library buffered.
    func run(_ bytes: [UInt8], offset: Int) throws(DemuxError) -> [Report] {
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<[Report], DemuxError> in
            // The bytes stay valid while the closure runs, and the source drops them when it ends.
            unsafe source.pointee.bytes = unsafe buffer
            unsafe source.pointee.position = 0
            unsafe source.pointee.base = position - firstPosition
            defer { unsafe source.pointee.bytes = unsafe UnsafeBufferPointer(start: nil, count: 0) }
            do throws(DemuxError) {
                return .success(try readAll(offset: offset))
            } catch {
                return .failure(error)
            }
        }
        position += bytes.count
        if case .failure = result { hasGivenUp = true }
        return try result.get()
    }

    private func readAll(offset: Int) throws(DemuxError) -> [Report] {
        if unsafe context == nil { try open(offset: offset) }
        guard let context = unsafe context, let io = unsafe io, let packet = unsafe packet else { return [] }
        // After the end of a run, the library stops reading until these flags are cleared.
        unsafe io.pointee.eof_reached = 0
        unsafe io.pointee.error = 0
        var reports: [Report] = []
        // There cannot be more failures than packets.
        var remainingFailureCount = unsafe source.pointee.bytes.count / Self.packetByteCount + 16
        while true {
            let code = unsafe dtvr_av_read_frame(context, packet)
            if code == dtvr_averror_eof { return reports }
            // Continue after damage in the stream.
            if code == dtvr_averror_invaliddata || code == dtvr_averror_eagain, remainingFailureCount > 0 {
                remainingFailureCount -= 1
                continue
            }
            guard code >= 0 else {
                // The library rejects input beyond its limits, such as too many streams.
                hasGivenUp = true
                return reports
            }
            // The packet owns `size` bytes at `data` until it is unreferenced.
            let data = unsafe Array(
                UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            let pts = unsafe packet.pointee.pts
            reports.append(
                Report(
                    position: firstPosition + Int(unsafe packet.pointee.pos),
                    pts: pts == dtvr_nopts_value
                        ? nil : UInt64(bitPattern: pts) & (MediaTimestamp.transportPeriod - 1),
                    data: data))
            unsafe dtvr_av_packet_unref(packet)
        }
    }

    private func open(offset: Int) throws(DemuxError) {
        if unsafe dtvr_av_missing() != nil {
            throw .libavformat(code: dtvr_averror_enosys, operation: .load, offset: offset)
        }
        guard let format = unsafe dtvr_av_find_input_format("mpegts") else {
            throw .libavformat(code: dtvr_averror_invaliddata, operation: .findDemuxer, offset: offset)
        }
        unsafe packet = unsafe packet ?? dtvr_av_packet_alloc()
        let size = Self.bufferByteCount
        guard unsafe packet != nil, makeIO(size), let opened = unsafe dtvr_avformat_alloc_context() else {
            throw .libavformat(code: dtvr_averror_enomem, operation: .allocation, offset: offset)
        }
        unsafe opened.pointee.pb = unsafe io
        // Disables parsing, filling in and unwrapping, so that values are reported unchanged.
        unsafe opened.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
        unsafe opened.pointee.correct_ts_overflow = 0
        // The codecs are not needed, so the library need not buffer packets to detect them.
        unsafe opened.pointee.max_probe_packets = 0
        var input: UnsafeMutablePointer<AVFormatContext>? = unsafe opened
        // On failure the library frees the context and sets the pointer to nil.
        let code = unsafe dtvr_avformat_open_input(&input, nil, format, nil)
        guard code >= 0 else {
            throw .libavformat(code: code, operation: .openInput, offset: offset)
        }
        unsafe context = unsafe input
    }

    /// Creates the I/O context unless it exists, and returns whether it is available.
    private func makeIO(_ size: Int) -> Bool {
        if unsafe io != nil { return true }
        guard let buffer = unsafe dtvr_av_malloc(size) else { return false }
        // The library owns the buffer from here on, and calls back only while `run` provides the bytes.
        unsafe io = unsafe dtvr_avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 0, source,
            { opaque, target, count in unsafe MemorySource.read(opaque, target, count) }, nil,
            { opaque, offset, whence in unsafe MemorySource.seek(opaque, offset, whence) })
        if unsafe io == nil { unsafe dtvr_av_free(buffer) }
        return unsafe io != nil
    }
}

/// The bytes of one run, read by the libavformat callbacks.
@unsafe struct MemorySource {
    var bytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var position = 0
    /// The number of bytes delivered in earlier runs.
    var base = 0

    static func read(
        _ opaque: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int32
    ) -> Int32 {
        // The opaque pointer comes from `makeIO`; the target has room for `count` bytes.
        guard let source = unsafe opaque?.assumingMemoryBound(to: MemorySource.self),
            let target = unsafe target,
            let start = unsafe source.pointee.bytes.baseAddress
        else { return dtvr_averror_eof }
        let length = min(Int(count), unsafe source.pointee.bytes.count - source.pointee.position)
        guard length > 0 else { return dtvr_averror_eof }
        unsafe target.update(from: start + source.pointee.position, count: length)
        unsafe source.pointee.position += length
        return Int32(length)
    }

    /// Seeks within the bytes of this run, as the demuxer does while it opens.
    static func seek(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
        guard let source = unsafe opaque?.assumingMemoryBound(to: MemorySource.self) else { return -1 }
        let position = Int(offset) - (unsafe source.pointee.base)
        guard whence == SEEK_SET, position >= 0, unsafe position <= source.pointee.bytes.count else {
            return -1
        }
        unsafe source.pointee.position = position
        return offset
    }
}
