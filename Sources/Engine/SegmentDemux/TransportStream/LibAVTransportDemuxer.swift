internal import CDTVRLibAV
internal import TimedMedia

/// libavformat's demuxer `mpegts`, fed from memory, run after run.
///
/// It is opened with the first bytes and lives on over segments, so that it still knows PAT and PMT. The positions
/// that it reports count the bytes of all runs.
@safe struct LibAVTransportDemuxer: ~Copyable {
    /// What libavformat reports for one PES packet, or for a piece of a long one.
    struct Report {
        /// Where the transport packet in which the PES packet begins is, in the bytes of all runs.
        let position: Int
        let pts: UInt64?
        let data: [UInt8]
    }

    private var context: UnsafeMutablePointer<AVFormatContext>?
    private var io: UnsafeMutablePointer<AVIOContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let source: UnsafeMutablePointer<MemorySource>

    /// Where the next run begins, in the positions of `Report`.
    private(set) var position: Int

    private let firstPosition: Int

    /// Whether the library gave up in the last run, so that a new one must be opened.
    private(set) var hasGivenUp = false

    /// The size of the buffer between the bytes and the demuxer.
    private static let bufferByteCount = 32 << 10

    /// A demuxer that has read nothing and not touched the library; its positions begin at `position`.
    init(position: Int = 0) {
        self.position = position
        firstPosition = position
        unsafe source = .allocate(capacity: 1)
        unsafe source.initialize(to: MemorySource())
    }

    deinit {
        // Each pointer was made by the library and is freed here once, the context before what it reads from.
        var (context, io, packet) = unsafe (context, io, packet)
        unsafe avformat_close_input(&context)
        if let io = unsafe io { unsafe av_freep(&io.pointee.buffer) }
        unsafe avio_context_free(&io)
        unsafe av_packet_free(&packet)
        unsafe source.deinitialize(count: 1)
        unsafe source.deallocate()
    }

    /// How many streams and programs the library holds: every change of the tables adds to them.
    var entryCount: Int {
        // The context is owned by self and open.
        guard let context = unsafe context else { return 0 }
        return Int(unsafe context.pointee.nb_streams) + Int(unsafe context.pointee.nb_programs)
    }

    /// Demuxes the bytes, and everything that the library held back of them.
    mutating func run(_ bytes: [UInt8], offset: Int) throws(DemuxError) -> [Report] {
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<[Report], DemuxError> in
            // The bytes stay where they are while the closure runs, and the source forgets them at its end.
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

    private mutating func readAll(offset: Int) throws(DemuxError) -> [Report] {
        if unsafe context == nil { try open(offset: offset) }
        guard let context = unsafe context, let io = unsafe io, let packet = unsafe packet else { return [] }
        // After the end of a run's bytes the library reads no more until these are cleared.
        unsafe io.pointee.eof_reached = 0
        unsafe io.pointee.error = 0
        var reports: [Report] = []
        // There cannot be more failures than packets.
        var remainingFailureCount = unsafe source.pointee.bytes.count / TransportPacket.byteCount + 16
        while true {
            let code = unsafe av_read_frame(context, packet)
            if code == dtvr_averror_eof { return reports }
            // Damage that it reports is not the end: it goes on after it.
            if code == dtvr_averror_invaliddata || code == dtvr_averror_eagain, remainingFailureCount > 0 {
                remainingFailureCount -= 1
                continue
            }
            guard code >= 0 else {
                // It refuses what it has no room for, such as too many streams.
                hasGivenUp = true
                return reports
            }
            // The packet holds `size` bytes at `data` until it is unreferenced.
            let data = unsafe Array(
                UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            let pts = unsafe packet.pointee.pts
            reports.append(
                Report(
                    position: firstPosition + Int(unsafe packet.pointee.pos),
                    pts: pts == dtvr_nopts_value
                        ? nil : UInt64(bitPattern: pts) & (MediaTimestamp.transportPeriod - 1),
                    data: data))
            unsafe av_packet_unref(packet)
        }
    }

    private mutating func open(offset: Int) throws(DemuxError) {
        _ = Self.quietLog
        guard let format = unsafe av_find_input_format("mpegts") else {
            throw .libavformat(code: dtvr_averror_invaliddata, operation: .findDemuxer, offset: offset)
        }
        unsafe packet = unsafe packet ?? av_packet_alloc()
        let size = Self.bufferByteCount
        guard unsafe packet != nil, makeIO(size), let opened = unsafe avformat_alloc_context() else {
            throw .libavformat(code: dtvr_averror_enomem, operation: .allocation, offset: offset)
        }
        unsafe opened.pointee.pb = unsafe io
        // Nothing is parsed, filled in or unwrapped: the values are those of the stream.
        unsafe opened.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
        unsafe opened.pointee.correct_ts_overflow = 0
        // Nobody asks for the codec of a stream, so no packets need to be held back to find out.
        unsafe opened.pointee.max_probe_packets = 0
        var input: UnsafeMutablePointer<AVFormatContext>? = unsafe opened
        // On failure the library frees the context and sets the pointer to nil.
        let code = unsafe avformat_open_input(&input, nil, format, nil)
        guard code >= 0 else {
            throw .libavformat(code: code, operation: .openInput, offset: offset)
        }
        unsafe context = unsafe input
    }

    /// Makes the context that the library reads through, once.
    private mutating func makeIO(_ size: Int) -> Bool {
        if unsafe io != nil { return true }
        guard let buffer = unsafe av_malloc(size) else { return false }
        // The library owns the buffer from here on, and calls back only while `run` lends the bytes.
        unsafe io = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(size), 0, source,
            { opaque, target, count in unsafe MemorySource.read(opaque, target, count) }, nil,
            { opaque, offset, whence in unsafe MemorySource.seek(opaque, offset, whence) })
        if unsafe io == nil { unsafe av_free(buffer) }
        return unsafe io != nil
    }

    /// The library writes about damage to standard error unless told not to; the setting is the process's.
    private static let quietLog: Void = dtvr_av_log_quiet()
}

/// The bytes of one run, as libavformat's callbacks read them.
@unsafe struct MemorySource {
    var bytes = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var position = 0
    /// How many bytes were delivered in the runs before.
    var base = 0

    static func read(
        _ opaque: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int32
    ) -> Int32 {
        // The opaque pointer is the one that `makeIO` gave; the target has room for `count` bytes.
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

    /// Seeks in the bytes of this run, which the demuxer does while it opens.
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
