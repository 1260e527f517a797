import CBusGuard
import Foundation

/// A part of a file in the address space of the process, which saves copying what is only glanced at.
///
/// A file may be cut or written to while it is mapped: its bytes are to be read as bytes that may change, and
/// `isCut` tells afterwards whether some of them were gone. `FileAccess.prepare` must have been called.
@safe struct MappedWindow: ~Copyable {
    private let start: UnsafeRawPointer
    private let length: Int
    private let region: Int32

    /// Whether pages that were read were gone, because the file was cut or its disk does not give them; zeros
    /// were read in their place.
    ///
    /// Asked for after the bytes were read.
    var isCut: Bool { dtvr_bus_guard_was_hit(region) }

    /// Maps `count` bytes of a file; nil where that cannot be done, and the file is to be read.
    ///
    /// - Parameter offset: a multiple of a page's size.
    init?(of descriptor: Int32, from offset: UInt64, count: Int) {
        guard count > 0, let offset = off_t(exactly: offset) else { return nil }
        // The kernel chooses a place that nothing else has.
        let place = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, offset)
        guard let place = unsafe place, unsafe place != MAP_FAILED else { return nil }
        // The region is ours from here to `munmap`.
        let region = unsafe dtvr_bus_guard_begin(place, count)
        guard region >= 0 else {
            _ = unsafe munmap(place, count)
            return nil
        }
        unsafe start = UnsafeRawPointer(place)
        length = count
        self.region = region
    }

    deinit {
        dtvr_bus_guard_end(region)
        // Mapped by `init`, and lent only to closures that have ended.
        _ = unsafe munmap(UnsafeMutableRawPointer(mutating: start), length)
    }

    /// Lends the bytes from `first` on; they may change while they are read.
    func withBytes<Failure>(
        from first: Int, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        // Mapped as long as the window lives, and pages that are gone are replaced by the guard.
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        try body(unsafe bytes.bindMemory(to: UInt8.self).span.extracting(first..<length))
    }
}
