import HostSystem
import NielsenID3
import TagRecord
import TagStore
import TestSupport

extension TemporaryFolder {
    /// Returns the places, in their sessions, of the tags that the folder's buffer has to deliver, in order.
    ///
    /// The buffer must not be open.
    func storedPlaces() async throws -> [SessionPlace] {
        let buffer = try await TagBuffer.open(directory: path)
        let tags = try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max)
        await buffer.close()
        return try tags.compactMap { tag in
            guard case .session(let place, _) = try tag.occurrence()?.origin else { return nil }
            return place
        }
    }
}

extension StoredTag {
    /// Returns the tag in the body, or nil if the body is another record of a player.
    func occurrence() throws -> TagOccurrence? {
        guard case .tag(let occurrence) = try StoredRecord.decode(body.span) else { return nil }
        return occurrence
    }
}

extension ClockReading {
    /// Returns a reading of a wall clock that is never set, always in the same boot.
    static func steady(_ wall: Int64, isTrusted: Bool = true) -> ClockReading {
        ClockReading(wall: wall, boot: 1_000, bootID: "boot", isTrusted: isTrusted)
    }
}
