import CDTVRHeader
import TestSupport
import Testing

/// The structures of callers with an older or newer header: `size` limits what the library reads and writes.
@Suite(.timeLimit(.minutes(30))) struct StructureSizeTests {
    /// The value of the bytes that the library must neither read nor write.
    private static let foreign: UInt8 = 0xFF
    /// The bytes that a newer header may have added to a structure.
    private static let addedByteCount = 24

    /// Calls a function with a structure of each size; returns the sizes that it answers wrongly.
    ///
    /// - Parameter status: The status of the function for a structure that has its `size` field.
    private static func wrongSizes<Structure>(
        of structure: Structure.Type, status: dtvr_status = DTVR_DONE,
        _ call: (UnsafeMutablePointer<Structure>) -> dtvr_status
    ) -> [Int] {
        let known = MemoryLayout<Structure>.size
        let field = MemoryLayout<Int>.size
        func answer(_ size: Int) -> (status: dtvr_status, bytes: [UInt8]) {
            unsafe withUnsafeTemporaryAllocation(
                byteCount: known + addedByteCount, alignment: MemoryLayout<Structure>.alignment
            ) { memory in
                unsafe memory.initializeMemory(as: UInt8.self, repeating: foreign)
                unsafe memory.storeBytes(of: size, as: Int.self)
                let status = unsafe call(memory.baseAddress!.assumingMemoryBound(to: Structure.self))
                return unsafe (status, Array(memory))
            }
        }
        let whole = answer(known)
        return (0...known + addedByteCount).filter { size in
            let got = answer(size)
            let sizeBytes = unsafe withUnsafeBytes(of: size) { unsafe Array($0) }
            let isKnown = size >= field
            let end = isKnown ? min(size, known) : field
            return got.status != (isKnown ? status : DTVR_INVALID_OPTION)
                || got.bytes[field..<end] != whole.bytes[field..<end]
                || Array(got.bytes[..<field]) != sizeBytes
                || got.bytes[end...].contains { $0 != foreign }
        }
    }

    @Test func answer_ofAnySize_getsExactlyThatManyBytes() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        session.send("www.nielsen.com/a")
        #expect(try await session.settle() == DTVR_DONE)
        let segment = try SegmentFeedTests.demo(0)
        let discontinuity = UInt32(DTVR_FEED_DISCONTINUITY)
        let wrongSizes = try await onOwnThread {
            let pointer = unsafe session.pointer
            return unsafe [
                Self.wrongSizes(of: dtvr_counts.self) { unsafe dtvr_get_counts(pointer, $0) },
                Self.wrongSizes(of: dtvr_buffer_counts.self) { unsafe dtvr_get_buffer_counts(pointer, $0) },
                Self.wrongSizes(of: dtvr_delivery.self) { unsafe dtvr_get_delivery(pointer, $0) },
                Self.wrongSizes(of: dtvr_delivered.self, status: DTVR_NOT_DELIVERED) {
                    unsafe dtvr_deliver_within(pointer, .max, $0)
                },
                Self.wrongSizes(of: dtvr_fed.self) {
                    unsafe dtvr_feed_segment(pointer, segment, segment.count, .nan, 0, discontinuity, $0)
                },
            ]
        }
        #expect(wrongSizes == Array(repeating: [], count: 5))
        #expect(try await session.destroy() == DTVR_DONE)
    }

    /// Without a field of the structure, the option has its default.
    @Test func options_ofAnySize_areReadOnlyToTheirEnd() async throws {
        let folder = try TemporaryFolder()
        let known = unsafe MemoryLayout<dtvr_options>.size
        let directoryEnd = unsafe MemoryLayout<Int>.size + MemoryLayout<dtvr_text>.size
        // The length of the path may fit into a part of its field.
        var sizes = Array(0...directoryEnd - MemoryLayout<Int>.size)
        sizes += stride(from: directoryEnd, through: known + Self.addedByteCount, by: 4)
        let app = CSession.app
        for size in sizes {
            let isCreated = try await onOwnThread {
                var path = folder.path + "/\(size)"
                return path.withUTF8 { path in
                    unsafe withUnsafeTemporaryAllocation(
                        byteCount: known + Self.addedByteCount, alignment: MemoryLayout<Int>.alignment
                    ) { memory in
                        unsafe memory.initializeMemory(as: UInt8.self, repeating: Self.foreign)
                        var options = unsafe dtvr_options()
                        unsafe options.size = size
                        unsafe options.directory = dtvr_text(
                            bytes: UnsafeRawPointer(path.baseAddress!).assumingMemoryBound(to: CChar.self),
                            length: path.count)
                        unsafe withUnsafeBytes(of: &options) { options in
                            let byteCount = max(MemoryLayout<Int>.size, min(size, known))
                            unsafe memory.copyMemory(
                                from: UnsafeRawBufferPointer(rebasing: options.prefix(byteCount)))
                        }
                        var session: OpaquePointer?
                        let status = unsafe dtvr_create(
                            memory.baseAddress!.assumingMemoryBound(to: dtvr_options.self), app,
                            app.utf8.count, &session)
                        #expect(status == (size < directoryEnd ? DTVR_INVALID_OPTION : DTVR_DONE), "\(size)")
                        return unsafe status == DTVR_DONE && dtvr_destroy(session, 600_000) == DTVR_DONE
                    }
                }
            }
            #expect(isCreated == (size >= directoryEnd), "\(size)")
        }
    }
}
