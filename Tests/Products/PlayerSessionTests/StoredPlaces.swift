import HostSystem
import NielsenID3
import TagRecord
import TagStore
import TestSupport

extension TemporaryFolder {
    /// The places in their sessions of the tags that the folder's buffer has to deliver, in their order, once nobody has it
    /// open.
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
    /// The tag in the body; nil if the body is another record of a player.
    func occurrence() throws -> TagOccurrence? {
        guard case .tag(let occurrence) = try StoredRecord.decode(body.span) else { return nil }
        return occurrence
    }
}

extension ClockReading {
    /// In one boot, with a wall clock that nobody sets.
    static func steady(_ wall: Int64, isTrusted: Bool = true) -> ClockReading {
        ClockReading(wall: wall, boot: 1_000, bootID: "boot", isTrusted: isTrusted)
    }
}
