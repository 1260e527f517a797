import FoundationEssentials
import TagStore

/// A request to the process that owns a buffer: a line of JSON, followed by the bodies of its tags.
///
/// The line has the size of each body. The bodies follow one another as they are stored, without separators.
package enum BufferRequest: Codable, Sendable {
    /// The path of a request, and of the connection that holds the tags of a client.
    package static let path = "/"
    package static let holdingPath = "/holding"
    /// The query parameter of the holding connection: the client's random id.
    package static let clientParameter = "client"
    /// The maximum size of a request.
    package static let maximumByteCount = 8 << 20
    /// The maximum size of the bodies of one request, except for a single large one.
    static let maximumBodyByteCount = 2 << 20
    /// The maximum number of tags in one request.
    static let maximumTagCount = 4_096

    /// Appends tags, and answers once they are on the disk or known not to be.
    case append(Append)
    /// Makes held tags available for delivery, some of them with a new body.
    case release([Release])
    /// Admits all quarantined tags to delivery, or deletes them, and returns their number.
    case admit(deleting: Bool)
    /// Writes the tags in memory to the disk, and answers whether none remain in memory.
    case flush
    /// Returns the status of the buffer.
    case status
    /// Returns the next rows after a sequence number.
    case page(of: BufferRows, after: Int64)
    /// Moves all dead letters back to the waiting tags, and returns their number.
    case retryDeadLetters
    /// Removes rows older than an age in milliseconds, and returns their number.
    case prune(BufferRows, age: Int64)
    /// Reads and verifies every row.
    case verify

    /// The arguments of an append.
    package struct Append: Codable, Sendable {
        let owner: TagOwner
        let bookmark: Bookmark?
        /// The id of the client that holds the tags back from delivery; nil if they may be delivered.
        let holder: String?
        let tags: [Tag]

        struct Tag: Codable, Sendable {
            let id: String
            let byteCount: Int
            /// The owner of this tag; nil for that of the append.
            let owner: TagOwner?
        }
    }

    /// The release of a held tag.
    package struct Release: Codable, Sendable {
        let sequence: Int64
        /// The size of the new body; nil keeps the appended one.
        let byteCount: Int?
    }

    // MARK: Encoding

    /// Returns the bytes of a request with bodies.
    func encoded(with bodies: [[UInt8]] = []) throws(StoreError) -> [UInt8] {
        do {
            var bytes = [UInt8](try JSONEncoder().encode(self))
            bytes.append(UInt8(ascii: "\n"))
            for body in bodies { bytes += body }
            return bytes
        } catch {
            throw .remote(reason: "a request cannot be encoded: \(error)")
        }
    }

    /// Decodes a request; nil if it is invalid.
    ///
    /// - Returns: The request and the bytes of the bodies.
    static func decode(_ bytes: [UInt8]) -> (request: BufferRequest, bodies: ArraySlice<UInt8>)? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        do {
            let request = try JSONDecoder().decode(BufferRequest.self, from: Data(bytes[..<end]))
            return (request, bytes[(end + 1)...])
        } catch {
            return nil
        }
    }

    /// Splits the bytes of bodies by their sizes; nil if the sizes do not fit.
    static func split(_ bytes: ArraySlice<UInt8>, by sizes: [Int]) -> [[UInt8]]? {
        var rest = bytes
        var bodies: [[UInt8]] = []
        bodies.reserveCapacity(sizes.count)
        for size in sizes {
            guard (0...rest.count).contains(size) else { return nil }
            bodies.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return rest.isEmpty ? bodies : nil
    }
}

/// The answer to a request that changes the buffer.
struct BufferChange<Value: Codable & Sendable>: Codable, Sendable {
    let value: Value
    /// The totals of the buffer after the change.
    let totals: StoreTotals
}
